// What a card does to a request that it is dragged into.
import assert from "node:assert/strict";
import test from "node:test";
import { withWords } from "../../web/cards.js";

const bear = { words: "<bear-v4>", subjects: ["bear", "teddy bear"] };

for (const [what, request, wanted, before] of [
  ["nothing", "", "<bear-v4>"],
  ["the subject", "my latest bear on grass", "my latest <bear-v4> on grass"],
  ["the longest subject", "a Teddy Bear in the snow", "a <bear-v4> in the snow"],
  ["no part of a word", "a bearded man", "a bearded man <bear-v4>"],
  ["no subject", " a forest ", "a forest <bear-v4>"],
  ["these very words", "a <bear-v4> and a bear", "a <bear-v4> and a bear"],
  ["the words of another card", "a <bear-v3> and a bear", "a <bear-v4> and a bear", "<bear-v3>"],
]) {
  test(`takes the place of ${what}`, () => assert.equal(withWords(request, bear, before), wanted));
}

test("takes signs as they are", () => {
  const odd = { words: "$& $1", subjects: ["(a+)+$", "c++"] };
  assert.equal(withWords("a c++ bear", odd), "a $& $1 bear");
  assert.equal(withWords("곰 한 마리", { words: "<gom>", subjects: ["곰"] }), "<gom> 한 마리");
});
