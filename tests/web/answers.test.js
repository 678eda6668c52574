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

test("the answers for other requests stay, those of the newest twenty", () => {
  const before = "newest\nfor: a dog\nsketch\nfor: a cat\nanime";
  assert.equal(addAnswer(before, "a bear", "cartoon"), "for: a dog\nsketch\nfor: a cat\nanime\nfor: a bear\nnewest\ncartoon");
  assert.equal(addAnswer(before, "a dog", "May"), "for: a cat\nanime\nfor: a dog\nnewest\nsketch\nMay");
  const shared = addAnswer(before, "a bear", "cartoon", { shared: true });
  assert.equal(shared, "newest\nfor: a dog\nsketch\nfor: a cat\nanime\nfor: a bear\ncartoon");
  let text = "";
  for (let number = 1; number <= 22; number += 1) text = addAnswer(text, `a bear ${number}`, "cartoon");
  assert.deepEqual(words(text, "a bear 2"), []);
  assert.equal(parseAnswers(text).length, 20);
  assert.deepEqual(words(text, "a bear 22"), ["cartoon"]);
});

test("answers for a request that asks for the same models count, and become those of the new one", () => {
  const before = "for: a bear\ncartoon\nfor: a dog\nsketch";
  const alike = ["a bear"];
  assert.deepEqual(parseAnswers(before).filter((one) => countsFor(one, "a bear, at night", alike)).map((one) => one.words), ["cartoon"]);
  assert.equal(addAnswer(before, "a bear, at night", "May", { alike }), "for: a dog\nsketch\nfor: a bear, at night\ncartoon\nMay");
});

test("what was not understood gives way to the next answer", () => {
  const text = "for: a bear\nblargh\nMay\nfor: a dog\nblargh";
  assert.equal(addAnswer(text, "a bear", "cartoon", { unheard: ["blargh"] }), "for: a dog\nblargh\nfor: a bear\nMay\ncartoon");
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
