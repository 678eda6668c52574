// What a card does to a request that it is dragged into.
import assert from "node:assert/strict";
import test from "node:test";
import { withWords } from "../../web/cards.js";

const bear = { words: "<bear-v4>", triggered: true, subjects: ["bear", "teddy bear"] };
const saber = { words: "saber_\\(fate\\)", triggered: true, subjects: ["saber"] };

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
  const odd = { words: "$& $1", triggered: true, subjects: ["(a+)+$", "c++"] };
  assert.equal(withWords("a c++ bear", odd), "a $& $1 bear");
  assert.equal(withWords("곰 한 마리", { words: "<gom>", triggered: true, subjects: ["곰"] }), "<gom> 한 마리");
});

for (const there of ["saber_\\(fate\\)", "saber_(fate)", "Saber (Fate)", "(saber_(fate):1.2)"]) {
  test(`does not put a trigger beside ${there}`, () => assert.equal(withWords(`a ${there}, 1girl`, saber), `a ${there}, 1girl`));
}

test("takes no part of a word for a trigger", () => {
  assert.equal(withWords("she asks", { words: "sks", triggered: true, subjects: [] }), "she asks sks");
});

test("the name of a card without a trigger goes into an empty request alone", () => {
  const style = { words: "ink_v2", triggered: false, subjects: ["ink"] };
  assert.equal(withWords("a castle", style), "a castle");
  assert.equal(withWords(" ", style), "ink_v2");
});
