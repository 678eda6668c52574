// The text of the models that were picked by hand. The server reads the same texts: tests/checkin/catalog/test_pinned.py.
import assert from "node:assert/strict";
import { test } from "node:test";
import { namesIn, parseChosen, textOf } from "../../web/chosen.js";

const plain = { strength: null, on: true, triggers: null };

test("a line per model, with what is wanted of it", () => {
  const text = "for: a  bear\n bear_v3; 0.8; sha256: ab12\nmodel: dog; off; triggers: a, b\nx; strength: -1; triggers: off";
  assert.deepEqual(parseChosen(text), {
    request: "a bear",
    models: [
      { ...plain, name: "bear_v3", strength: 0.8 },
      { ...plain, name: "dog", on: false, triggers: ["a", "b"] },
      { ...plain, name: "x", strength: -1, triggers: [] },
    ],
  });
  assert.deepEqual(parseChosen(undefined), { request: null, models: [] });
});

test("a text of one model from before, and names by hand", () => {
  assert.equal(namesIn("for: a bear\nmodel: bear_v3\nsha256: ab\nbase model: sd15\nversion: 3"), "bear_v3");
  assert.equal(namesIn("FOR : a bear\n bear_v3 \nother"), "bear_v3, other");
  assert.equal(namesIn("for: a bear\nanswer: cartoon"), "");
  assert.equal(namesIn("sha256: ab12cd34ef; 0.5"), "ab12cd34ef");
});

test("what is written is read again, with any name", () => {
  for (const name of ["a", "a; b", "a;b", "a: b", "off", "0.8", "\\", "a\\;"]) {
    const line = `model: ${name.replace(/[;\\]/g, "\\$&")}; version: 3`;
    const text = textOf("for\nme", [{ line, strength: 0.65, triggers: ["<b>"] }, { line: "model: z", on: false, triggers: [] }]);
    assert.deepEqual(parseChosen(text), {
      request: "for me",
      models: [
        { ...plain, name, strength: 0.65, triggers: ["<b>"] },
        { ...plain, name: "z", on: false, triggers: [] },
      ],
    });
  }
});

test("what is wanted stands behind the name, before what the model is known by", () => {
  const one = { line: "model: a; sha256: ab; version: 3", strength: 0.8, on: false, triggers: [] };
  assert.equal(textOf("x", [one]), "for: x\nmodel: a; strength: 0.8; off; triggers: off; sha256: ab; version: 3");
  assert.equal(textOf("x", [{ line: one.line }]), `for: x\n${one.line}`);
});
