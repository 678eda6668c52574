import assert from "node:assert/strict";
import { test } from "node:test";
import { addAnswer, countsFor, parseAnswers, removeAnswer } from "../../web/answers.js";

const words = (text, request) => parseAnswers(text).filter((one) => countsFor(one, request)).map((one) => one.words);

test("lines below a request are for it, those above the first one for any", () => {
  const text = "newest\nfor: a bear\ncartoon\n\n May \nFOR:a dog\nsketch";
  assert.deepEqual(parseAnswers(text), [
    { request: null, words: "newest" },
    { request: "a bear", words: "cartoon" },
    { request: "a bear", words: "May" },
    { request: "a dog", words: "sketch" },
  ]);
  assert.deepEqual(words(text, "a  bear\n"), ["newest", "cartoon", "May"]);
  assert.deepEqual(words(text, "a cat"), ["newest"]);
  assert.equal(words(text, undefined).length, 4);
  assert.deepEqual(words("for the cartoon one", "a bear"), ["for the cartoon one"]);
  for (const nothing of ["", "\n \n", "for: a bear", null, undefined]) assert.deepEqual(parseAnswers(nothing), []);
});

test("what is added is one line, after what was answered for the same request", () => {
  const once = addAnswer("", "a bear\nin the snow", " the\ncartoon  one ");
  assert.equal(once, "for: a bear in the snow\nthe cartoon one");
  assert.equal(addAnswer(once, "a bear  in the snow", "May"), `${once}\nMay`);
  assert.equal(addAnswer("for: a  bear \n\n newest ", "a bear", "cartoon"), "for: a bear\nnewest\ncartoon");
  assert.equal(addAnswer("newest", "a bear", "cartoon"), "for: a bear\nnewest\ncartoon");
});

test("another request drops the answers, unless another node needs them", () => {
  const before = "newest\nfor: a dog\nsketch\nfor: a cat\nanime";
  assert.equal(addAnswer("for: a dog\nnewest", "a bear", "cartoon"), "for: a bear\ncartoon");
  const keep = (request) => request === null || request === "a dog";
  assert.equal(addAnswer(before, "a bear", "cartoon", { keep }), "newest\nfor: a dog\nsketch\nfor: a bear\ncartoon");
});

test("answers for a request that asks for the same models count, and become those of the new one", () => {
  const before = "for: a bear\ncartoon\nfor: a dog\nsketch";
  const alike = ["a bear"];
  assert.deepEqual(parseAnswers(before).filter((one) => countsFor(one, "a bear, at night", alike)).map((one) => one.words), ["cartoon"]);
  assert.equal(addAnswer(before, "a bear, at night", "May", { alike }), "for: a bear, at night\ncartoon\nMay");
});

test("what was not understood gives way to the next answer", () => {
  const text = "for: a bear\nblargh\nMay\nfor: a dog\nblargh";
  const more = { unheard: ["blargh"], keep: () => true };
  assert.equal(addAnswer(text, "a bear", "cartoon", more), "for: a bear\nMay\ncartoon\nfor: a dog\nblargh");
});

test("an answer that looks like markup or like a request stays what it is", () => {
  assert.deepEqual(parseAnswers(addAnswer("", "for: me", "<b>bear</b>")), [{ request: "for: me", words: "<b>bear</b>" }]);
});

test("answers are taken back alone, and the last one leaves nothing", () => {
  assert.equal(removeAnswer("for: a bear\nnewest\ncartoon", 0), "for: a bear\ncartoon");
  assert.equal(removeAnswer("for: a bear\ncartoon", 0), "");
  assert.equal(removeAnswer("newest\ncartoon", 1), "newest");
  assert.equal(removeAnswer("for: a bear\ncartoon\nfor: a dog\nsketch", 0), "for: a dog\nsketch");
  assert.equal(removeAnswer("for: a bear\ncartoon", 5), "for: a bear\ncartoon");
});
