// Test days and sizes as the browser's language writes them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { day, fieldDay, fileSize } from "../../web/dates.js";

test("a moment and a day are written as the server's sentences write days", () => {
  const written = "31 May 2026";
  assert.equal(day("2026-05-31"), written);
  assert.equal(day(new Date(2026, 4, 31, 23, 59).toISOString()), written);
  for (const none of [null, undefined, "", "soon"]) assert.equal(day(none), "");
});

test("a field for days gets the day in the page's time zone", () => {
  assert.equal(fieldDay(new Date(2026, 3, 1).toISOString()), "2026-04-01");
  assert.equal(fieldDay("soon"), "");
  assert.equal(fieldDay(null), "");
});

test("a size has a unit that is short to read", () => {
  for (const [bytes, number] of [[584600, 584.6], [144e6, 144], [6.94e9, 6.9]]) {
    assert.ok(fileSize(bytes).startsWith(new Intl.NumberFormat().format(number)), fileSize(bytes));
  }
});
