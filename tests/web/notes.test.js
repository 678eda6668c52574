import assert from "node:assert/strict";
import { test } from "node:test";
import { openPage } from "./page.js";

openPage();
const { addNote, tidyNotes } = await import("../../web/notes.js");
const notes = () => [...document.querySelectorAll(".personalq-note")];
const note = (title, more) => ({ title, text: () => "Open the subgraph.", act() {}, ...more });

test("a note with the same key gives way, another stands beside it", () => {
  addNote("a", note("first"));
  addNote("a", note("<b>second</b>"));
  addNote("b", note("third"));
  assert.deepEqual(notes().map((each) => each.querySelector(".personalq-label").textContent), ["<b>second</b>", "third"]);
  assert.ok(notes().every((each) => each.getAttribute("role") === "alert"));
});

test("its button acts and ends it; closing only ends it", () => {
  const done = [];
  addNote("a", note("act", { act: () => done.push("acted") }));
  addNote("b", note("close", { act: () => done.push("wrong") }));
  notes().find((each) => each.textContent.includes("act")).querySelector(".personalq-go").click();
  notes().find((each) => each.textContent.includes("close")).querySelector("[aria-label=Close]").click();
  assert.deepEqual(done, ["acted"]);
  assert.deepEqual(notes(), []);
});

test("a note says what holds now; one whose work is done is taken away, others stay", () => {
  let now = "Open the subgraph.";
  addNote("a", note("question", { text: () => now }));
  addNote("b", note("other"));
  tidyNotes();
  assert.equal(notes().length, 2);
  now = "It waits in another tab.";
  tidyNotes();
  assert.equal(notes()[0].querySelector(".personalq-dim").textContent, now);
  now = "";
  tidyNotes();
  assert.deepEqual(notes().map((each) => each.querySelector(".personalq-label").textContent), ["other"]);
});

test("a note with nothing to say is not shown", () => {
  addNote("a", note("question", { text: () => "" }));
  assert.ok(notes().every((each) => !each.textContent.includes("question")));
});
