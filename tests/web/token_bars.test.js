import assert from "node:assert/strict";
import { test } from "node:test";
import { openPage } from "./page.js";

openPage();
const { tokenBars } = await import("../../web/token_bars.js");
const token = (label, error, trigger = false) => ({ label, rows: "1", error, trigger });
const names = (table) => [...table.querySelectorAll(".personalq-name")].map((name) => name.textContent);

test("tokens stand in the order of the prompt, as long as their error, the trigger marked", () => {
  const table = tokenBars([token("BOS", 0.5), token("<sks>", 2, true), token("bear", 0)]);
  assert.deepEqual(names(table), ["BOS", "<sks>", "bear"]);
  const widths = [...table.querySelectorAll(".personalq-after, .personalq-marked")].map((bar) => bar.style.width);
  assert.deepEqual(widths, ["25%", "100%", "0%"]);
  assert.equal(table.querySelectorAll(".personalq-marked").length, 1);
});

test("of a long prompt the tokens that change the picture most are shown, and the caption counts the others", () => {
  const table = tokenBars(Array.from({ length: 30 }, (_, index) => token(`t${index}`, index)));
  assert.deepEqual(names(table), Array.from({ length: 24 }, (_, index) => `t${index + 6}`));
  assert.match(table.querySelector("caption").textContent, /6 tokens that change it less are not shown/);
});

test("errors of zero have bars of no length", () => {
  const widths = [...tokenBars([token("a", 0), token("b", 0)]).querySelectorAll(".personalq-after")].map((bar) => bar.style.width);
  assert.deepEqual(widths, ["0%", "0%"]);
});
