import assert from "node:assert/strict";
import { test } from "node:test";
import { addAnswer, parseAnswers, removeAnswer } from "../../web/answers.js";

test("a text names its request in the first line, or holds for any", () => {
  assert.deepEqual(parseAnswers("for: a bear\ncartoon\n\n May "), { request: "a bear", answers: ["cartoon", "May"] });
  assert.deepEqual(parseAnswers("cartoon"), { request: null, answers: ["cartoon"] });
  assert.deepEqual(parseAnswers("for the cartoon one"), { request: null, answers: ["for the cartoon one"] });
  for (const nothing of ["", "\n \n", null, undefined]) assert.deepEqual(parseAnswers(nothing), { request: null, answers: [] });
});

test("what is added is read back, after what was answered for the same request", () => {
  const once = addAnswer("", "a bear\nin the snow", " the\ncartoon  one ");
  assert.deepEqual(parseAnswers(once), { request: "a bear in the snow", answers: ["the cartoon one"] });
  const twice = addAnswer(once, "a bear  in the snow", "May");
  assert.deepEqual(parseAnswers(twice).answers, ["the cartoon one", "May"]);
});

test("another request drops the answers", () => {
  assert.equal(addAnswer("for: a dog\nnewest", "a bear", "cartoon"), "for: a bear\ncartoon");
});

test("an answer that looks like markup or like a request stays what it is", () => {
  const text = addAnswer("", "for: me", "<b>bear</b>");
  assert.deepEqual(parseAnswers(text), { request: "for: me", answers: ["<b>bear</b>"] });
});

test("an answer is taken back alone, and the last one leaves nothing", () => {
  assert.equal(removeAnswer("for: a bear\nnewest\ncartoon", 0), "for: a bear\ncartoon");
  assert.equal(removeAnswer("for: a bear\ncartoon", 0), "");
  assert.equal(removeAnswer("newest\ncartoon", 1), "newest");
  assert.equal(removeAnswer("for: a bear\ncartoon", 5), "for: a bear\ncartoon");
});
