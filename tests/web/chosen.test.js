// The text of the models that were picked by hand. The server reads the same texts: tests/checkin/catalog/test_pinned.py.
import assert from "node:assert/strict";
import { test } from "node:test";
import { namesIn, parseChosen, picking, replaced } from "../../web/chosen.js";

const plain = { strength: null, on: true, triggers: null };
/** A model of a decision, with what the user said of its use. */
const used = (said) => ({ on: true, triggers: [], strength_said: "strength" in said, triggers_said: "triggers" in said, ...said });

test("a line per model, with what is wanted of it", () => {
  const text = "for: a  bear\n bear_v3; 0.8; sha256: ab12\nmodel: dog; off; triggers: a, b\nx; strength: -1; triggers: off";
  assert.deepEqual(parseChosen(text), [
    { ...plain, name: "bear_v3", strength: 0.8 },
    { ...plain, name: "dog", on: false, triggers: ["a", "b"] },
    { ...plain, name: "x", strength: -1, triggers: [] },
  ]);
  assert.deepEqual(parseChosen(undefined), []);
});

test("each request has its own models, and those above the first one are for any other", () => {
  const text = "cat\nfor: a bear\nbear_v3; 0.8\nFOR: a  dog\ndog\nink";
  assert.equal(namesIn(text, "a  bear"), "bear_v3");
  assert.equal(namesIn(text, "a dog"), "dog, ink");
  assert.equal(namesIn(text, "a bear at night"), "cat");
  assert.equal(namesIn(text), "dog, ink");
  assert.equal(namesIn("for: a bear\nbear_v3", "a dog"), "");
});

test("a choice takes the place of what counted for its request, and of nothing else", () => {
  const text = "cat\nfor: a bear\nbear_v3; 0.8\nfor: a dog\ndog";
  const bear = "for: a bear\nbear_v1";
  assert.equal(replaced(text, bear, "a bear"), `cat\nfor: a dog\ndog\n${bear}`);
  assert.equal(replaced(text, "", "a dog"), "cat\nfor: a bear\nbear_v3; 0.8");
  assert.equal(replaced(text, "for: a dog, at night\nink", "a dog, at night", ["a dog"]), "cat\nfor: a bear\nbear_v3; 0.8\nfor: a dog, at night\nink");
  assert.equal(replaced(text, "", "a bear at night"), "for: a bear\nbear_v3; 0.8\nfor: a dog\ndog", "for any is what counted");
  assert.equal(replaced("cat", bear, "a bear"), `cat\n${bear}`);
  assert.equal(replaced(text, "ink", null), "ink\nfor: a bear\nbear_v3; 0.8\nfor: a dog\ndog");
  assert.equal(replaced(text, ""), "cat\nfor: a bear\nbear_v3; 0.8", "where the request is not known, the last");
  const many = Array.from({ length: 30 }, (_, one) => `for: ${one}\nbear`).join("\n");
  assert.deepEqual(replaced(many, bear, "a bear").match(/^for: .*/gm)?.slice(-2), ["for: 29", "for: a bear"]);
  assert.equal(replaced(many, bear, "a bear").match(/^for/gm)?.length, 20);
  assert.ok(replaced(`cat\n${many}`, bear, "a bear").startsWith("cat\nfor"));
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
    const text = picking("for\nme", [used({ line, strength: 0.65, triggers: [{ text: "<b>", on: true }] }), used({ line: "model: z", on: false, triggers: [] })]);
    assert.deepEqual(parseChosen(text), [
      { ...plain, name, strength: 0.65, triggers: ["<b>"] },
      { ...plain, name: "z", on: false, triggers: [] },
    ]);
  }
});

test("what is wanted stands behind the name, before what the model is known by", () => {
  const line = "model: a; sha256: ab; version: 3";
  const one = used({ line, strength: 0.8, on: false, triggers: [{ text: "<a>", on: false }] });
  assert.equal(picking("x", [one]), "for: x\nmodel: a; strength: 0.8; off; triggers: off; sha256: ab; version: 3");
  assert.equal(picking("x", [used({ line })]), `for: x\n${line}`);
});
