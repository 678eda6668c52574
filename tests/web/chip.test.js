// A chosen model on the node: what a screen reader says of it, and what its controls change.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { openPage } from "./page.js";

const window = openPage();
const { chip } = await import("../../web/chip.js");

const model = {
  name: "nelson",
  kind: "lora",
  line: "model: nelson",
  on: true,
  strength: 0.85,
  strength_said: false,
  recommended: 1,
  triggers: [{ text: "<nelson>", on: true }, { text: "red scarf", on: false }],
  triggers_said: false,
  words: ["nelson"],
  offers: [{ name: "nelson_v2" }],
};
const several = false;
const alone = { beside: "", below: document.createElement("p") };

/** A chip on the page, and the models that its controls give. */
function shown(more = {}, where = several) {
  const changes = [];
  const element = chip({ ...model, ...more }, { change: (now) => changes.push(now), swap: () => changes.push("swap"), remove: () => changes.push("remove") }, where);
  document.body.replaceChildren(element);
  return { element, changes, control: (key) => element.querySelector(`[name="${key}"]`) };
}

test("its switch, its triggers and its swap button", () => {
  const { control, changes } = shown();
  for (const key of ["on", "trigger 0", "trigger 1", "swap"]) control(key).click();
  assert.equal(changes[0].on, false);
  assert.deepEqual(changes[1].triggers.map(({ on }) => on), [false, false]);
  assert.deepEqual(changes[2].triggers.map(({ on }) => on), [true, true]);
  assert.ok(changes[2].triggers_said);
  assert.equal(changes[3], "swap");
});

test("its strength: a number within limits, others are refused; or empty for what is recommended", () => {
  const { control, changes } = shown();
  const field = control("strength");
  assert.deepEqual([field.type, field.step, field.value], ["number", "0.05", "0.85"]);
  for (const value of ["0.6", "99", ""]) {
    field.value = value;
    field.dispatchEvent(new window.Event("change"));
  }
  assert.deepEqual(changes.map(({ strength, strength_said }) => [strength, strength_said]), [[0.6, true], [1, false]]);
});

test("it is taken out, but for what a link chooses", () => {
  const { control, changes } = shown();
  control("remove").click();
  assert.deepEqual(changes, ["remove"]);
  assert.equal(control("remove").ariaLabel, "Remove nelson");
});

test("names and states for screen readers", () => {
  const { element, control } = shown({ name: "<b>nelson</b>" });
  const label = (key) => control(key).ariaLabel;
  assert.deepEqual([element.role, element.ariaLabel], ["group", "<b>nelson</b>"]);
  assert.deepEqual([label("on"), control("on").ariaPressed], ["Use <b>nelson</b>", "true"]);
  assert.equal(label("strength"), "Strength of <b>nelson</b>");
  assert.deepEqual([control("trigger 0").ariaPressed, control("trigger 1").ariaPressed], ["true", "false"]);
  assert.deepEqual([label("swap"), control("swap").ariaExpanded], ["Swap <b>nelson</b> for another model", "false"]);
  assert.equal(element.querySelector("b"), null, "names are text, never markup");
});

test("a checkpoint has no strength, and alone no switch; one that is not here has a switch alone", () => {
  const whole = shown({ kind: "checkpoint" }, alone);
  assert.deepEqual([whole.control("strength"), whole.control("on")], [null, null]);
  assert.ok(shown({ kind: "checkpoint" }).control("on"));
  const gone = shown({ missing: true, kind: undefined, triggers: [], offers: [] });
  assert.ok(gone.control("on"));
  assert.equal(gone.control("strength"), null);
  assert.match(gone.element.textContent, /Not here/);
});

test("every text has its place for a name in all languages", () => {
  const textsIn = (language) => JSON.parse(readFileSync(new URL(`../../locales/${language}/main.json`, import.meta.url), "utf-8")).personalqPanel;
  for (const language of ["de", "ko", "zh"]) {
    const texts = textsIn(language);
    for (const [key, english] of Object.entries(textsIn("en"))) assert.equal(texts[key].includes("%s"), english.includes("%s"), key);
  }
});
