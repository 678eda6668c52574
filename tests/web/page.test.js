import assert from "node:assert/strict";
import { test } from "node:test";
import { openPage } from "./page.js";

const window = openPage();
const { make, picture } = await import("../../web/page.js");
const MARKUP = '<img src=x onerror="alert(1)"><script>alert(2)</script>';

test("text is text, whatever it looks like", () => {
  const element = make("div", "dim", MARKUP);
  assert.equal(element.textContent, MARKUP);
  assert.equal(element.children.length, 0);
  assert.equal(element.className, "personalq-dim");
});

test("a picture's name cannot change its address", () => {
  const frame = picture({ filename: "a&type=input/../b.png", type: "temp", subfolder: "x y" });
  const address = new URL(frame.querySelector("img").src);
  assert.equal(address.pathname, "/api/view");
  assert.deepEqual([...address.searchParams], [["filename", "a&type=input/../b.png"], ["type", "temp"], ["subfolder", "x y"]]);
});

test("a picture that is gone leaves its empty frame", () => {
  const frame = picture({ filename: "gone.png", type: "temp", subfolder: "" });
  frame.querySelector("img").dispatchEvent(new window.Event("error"));
  assert.equal(frame.outerHTML, picture(null).outerHTML);
});
