// Test days and sizes as the browser's language writes them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { day, fileSize } from "../../web/dates.js";

test("a day is written as the server's sentences write it, in any time zone", () => {
  assert.equal(day("2026-05-31"), "31 May 2026");
  for (const none of [null, undefined, "", "soon"]) assert.equal(day(none), "");
});

test("a size has a unit that is short to read", () => {
  for (const [bytes, number] of [[584600, 584.6], [144e6, 144], [6.94e9, 6.9]]) {
    assert.ok(fileSize(bytes).startsWith(new Intl.NumberFormat().format(number)), fileSize(bytes));
  }
});
