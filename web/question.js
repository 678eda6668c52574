// The parts of the Clarify node: the choices of a question, the earlier answers, and the keyboard control.
import { button, make, picture } from "./page.js";

/**
 * The choices, and a field for other words. `answer` is called with the words that were chosen or typed.
 * @param {Question} question @param {(words: string) => void} answer
 */
export function choicesOf({ text, choices }, answer) {
  const pictured = choices.some((choice) => choice.image);
  const buttons = choices.map(({ label, shown = label, detail, image }, place) => {
    const choice = button("choice", "", () => answer(label));
    choice.ariaLabel = [shown, detail].filter(Boolean).join(": ");
    choice.ariaKeyShortcuts = String(place + 1);
    if (pictured) choice.append(picture(image));
    choice.append(make("span", "text", make("span", "label", shown), make("span", "dim", detail)));
    choice.append(make("kbd", "key", String(place + 1)));
    return choice;
  });
  const group = make("div", "choices", ...buttons);
  group.role = "group";
  group.ariaLabel = `${text} Press the number of a choice, or move with the arrow keys.`;
  const field = make("input", "typed");
  field.placeholder = "or type an answer";
  field.ariaLabel = "Type an answer and press Enter";
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing && field.value.trim()) answer(field.value.trim());
  });
  return [group, field];
}

/**
 * The answers given so far. `takeBack` is called with the place of the answer to remove, or null for all.
 * @param {string[]} answers @param {(place: number | null) => void} takeBack
 */
export function answersList(answers, takeBack) {
  const items = answers.map((words, place) => {
    const undo = button("undo", "×", () => takeBack(place));
    undo.title = undo.ariaLabel = `Take back “${words}”`;
    return make("li", "answer", words, undo);
  });
  const list = make("ul", "answers", ...items);
  list.ariaLabel = "Your answers";
  const again = button("again", "Ask me again", () => takeBack(null));
  again.title = "Removes the saved answers. The next run asks again.";
  return make("div", "answered", list, again);
}

/**
 * Handles keys: numbers choose, arrow keys move between the choices and the field.
 * @param {HTMLElement} content @param {KeyboardEvent} event
 */
export function onKey(content, event) {
  /** @type {HTMLElement[]} */
  const stops = [...content.querySelectorAll(/** @type {"button"} */ (".personalq-choice, .personalq-typed"))];
  if (!stops.length || event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target === stops.at(-1);
  const back = event.key === "ArrowUp" || (event.key === "ArrowLeft" && !typing);
  const on = event.key === "ArrowDown" || (event.key === "ArrowRight" && !typing);
  if (back || on) {
    const at = stops.findIndex((stop) => stop === document.activeElement);
    stops.at(at < 0 ? 0 : (at + (on ? 1 : -1)) % stops.length)?.focus();
  } else if (!typing && /^[1-9]$/.test(event.key) && Number(event.key) < stops.length) stops[Number(event.key) - 1].click();
  else return;
  event.preventDefault();
}
