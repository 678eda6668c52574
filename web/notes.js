// Short notes at the edge of the page, each with a button that leads to what it is about. ComfyUI's own messages cannot have buttons.
import { button, make, outermost } from "./page.js";
import { say } from "./texts.js";

/** @type {Map<string, {element: HTMLElement, line: HTMLElement, text: () => string}>} */
const notes = new Map();
const stack = outermost("notes");

/**
 * Shows a note until its button is pressed, it is closed, or `text()` is empty. It replaces a note with the same key.
 * @param {string} key @param {{title: string, text: () => string, act: () => unknown}} note
 */
export function addNote(key, { title, text, act }) {
  dropNote(key);
  if (!text()) return;
  const line = make("span", "dim", text());
  const close = button("undo", "×", () => dropNote(key), { ariaLabel: say("close") });
  const go = button("go", say("show"), () => {
    dropNote(key);
    act();
  });
  const element = make("div", "note", { role: "alert" }, make("div", "text", make("span", "label", title), line), go, close);
  if (!stack.isConnected) document.body.append(stack);
  stack.append(element);
  notes.set(key, { element, line, text });
}

/** Updates the text of each note, and removes the notes whose text is now empty. */
export function tidyNotes() {
  for (const [key, { line, text }] of notes) {
    const now = text();
    if (!now) dropNote(key);
    else if (line.textContent !== now) line.textContent = now;
  }
}

/** @param {string} key */
function dropNote(key) {
  notes.get(key)?.element.remove();
  notes.delete(key);
  if (!notes.size) stack.remove();
}
