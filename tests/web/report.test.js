import assert from "node:assert/strict";
import { test } from "node:test";
import { openPage } from "./page.js";

openPage();
const { reportBars } = await import("../../web/report.js");

const group = (name, before, after) => ({
  group: name, bytes_before: before, bytes_after: after, layers: 1, bits: [8], computed: ["int8"], backends: ["torch"],
});
const report = (groups) => ({
  groups, preset: "W8A8", device: "cpu", seconds: 1.25, precision: { kind: "native", why: "int8 products" },
  bytes_before: groups.reduce((sum, each) => sum + each.bytes_before, 0),
  bytes_after: groups.reduce((sum, each) => sum + each.bytes_after, 0),
});
const shown = (groups) => {
  const box = document.createElement("div");
  box.append(...reportBars(report(groups)));
  return box;
};

test("bars are as long as the bytes, the largest group first", () => {
  const box = shown([group("norms", 2 ** 20, 2 ** 20), group("convolutions", 4 * 2 ** 20, 2 ** 20)]);
  assert.deepEqual([...box.querySelectorAll(".personalq-name")].map((name) => name.textContent), ["all layers: 40 %", "convolutions", "norms"]);
  const widths = [...box.querySelectorAll(".personalq-before, .personalq-after")].map((bar) => bar.style.width);
  assert.deepEqual(widths, ["100%", "40%", "100%", "25%", "25%", "25%"]);
});

test("it says what computes, where, and how long it took", () => {
  assert.match(shown([group("convolutions", 8, 4)]).textContent, /native on cpu: int8 products\..*1\.3 s/);
});

test("a group's name is text", () => {
  const box = shown([group("<b>norms</b>", 8, 4)]);
  assert.equal(box.querySelector("b"), null);
  assert.equal([...box.querySelectorAll(".personalq-name")].at(-1).textContent, "<b>norms</b>");
});
