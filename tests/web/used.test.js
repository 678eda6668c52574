// The models of a decision, with what was changed of their use since the run.
import assert from "node:assert/strict";
import { test } from "node:test";
import { picking } from "../../web/chosen.js";
import { isChanged, modelsOf, usedModels } from "../../web/used.js";

const model = (name, more = {}) => ({
  name,
  line: `model: ${name}; version: 3`,
  on: true,
  strength: 0.85,
  strength_said: false,
  recommended: 1,
  triggers: [{ text: "<a>", on: true }, { text: "hat", on: false }],
  triggers_said: false,
  words: [],
  offers: [],
  ...more,
});
const decided = { request: "a bear", models: [model("one"), model("two")] };

test("without a text, and with one for another request, they are as the run said", () => {
  assert.equal(usedModels(decided, ""), decided.models);
  assert.equal(usedModels(decided, "for: a dog\none\ntwo; off"), decided.models);
});

test("a text changes what it says", () => {
  const [one, two] = usedModels(decided, "one; 0.5; triggers: hat\ntwo; off");
  assert.deepEqual([one.strength, one.strength_said, one.triggers.map(({ on }) => on)], [0.5, true, [false, true]]);
  assert.deepEqual([two.on, two.strength, two.strength_said], [false, 0.85, false]);
  assert.ok(isChanged(decided.models, [one, two]));
  assert.ok(!isChanged(decided.models, usedModels(decided, "one\ntwo")));
});

test("a strength and triggers that the text says no longer are the recommended ones", () => {
  const said = model("one", { strength: 0.3, strength_said: true, triggers: [{ text: "<a>", on: false }], triggers_said: true });
  const [one] = usedModels({ request: "x", models: [said] }, "one");
  assert.deepEqual([one.strength, one.triggers], [1, [{ text: "<a>", on: true }]]);
});

test("other models are not these", () => {
  assert.equal(usedModels(decided, "one"), null);
  assert.equal(usedModels(decided, "one\nthree"), null);
  assert.ok(usedModels({ request: "x", models: [model("renamed", { called: "one" }), model("two")] }, "one\ntwo"));
});

test("what is written holds for the request, and says only what the user said", () => {
  const text = picking("a bear", [model("one"), model("two", { on: false, strength: 0.5, strength_said: true })]);
  assert.equal(text, "for: a bear\nmodel: one; version: 3\nmodel: two; strength: 0.5; off; version: 3");
  assert.deepEqual(usedModels(decided, text).map(({ on, strength }) => [on, strength]), [[true, 0.85], [false, 0.5]]);
});

test("other names or another use are a change", () => {
  assert.ok(!isChanged([model("one")], [model("one", { line: "", offers: [model("two")] })]));
  assert.ok(isChanged([model("one")], [model("two")]));
  assert.ok(isChanged(modelsOf({ card: { name: "old" } }), [model("old")]), "of old workflows, the models are not known");
});
