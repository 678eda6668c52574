// What the Clarify node shows of a question and of earlier answers, and its keys.
import { button, make, picture } from "./page.js";

/** @typedef {{label: string, detail: string, image?: import("./page.js").Picture | null}} Choice */
/** @typedef {{request: string, text: string, choices: Choice[]}} Question */

/** The choices and the field for other words. `answer` gets what was chosen or typed. @param {Question} question @param {(words: string) => void} answer */
export function choicesOf({ text, choices }, answer) {
  const group = make("div", "personalq-choices");
  group.setAttribute("role", "group");
  group.ariaLabel = `${text} Press the number of a choice, or move with the arrow keys.`;
  const pictured = choices.some((choice) => choice.image);
  choices.forEach(({ label, detail, image }, place) => {
    const choice = button("personalq-choice", "", () => answer(label));
    choice.ariaLabel = [label, detail].filter(Boolean).join(": ");
    choice.ariaKeyShortcuts = String(place + 1);
    const words = make("span", "personalq-text");
    words.append(make("span", "personalq-label", label), make("span", "personalq-dim", detail));
    if (pictured) choice.append(picture(image));
    choice.append(words, make("kbd", "personalq-key", String(place + 1)));
    group.append(choice);
  });
  const field = make("input", "personalq-typed");
  field.placeholder = "or type an answer";
  field.ariaLabel = "Type an answer and press Enter";
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing && field.value.trim()) answer(field.value.trim());
  });
  return [group, field];
}

/** The answers given so far. `takeBack` gets the place of one, or null for all. @param {string[]} answers @param {(place: number | null) => void} takeBack */
export function answersList(answers, takeBack) {
  const list = make("ul", "personalq-answers");
  list.ariaLabel = "Your answers";
  answers.forEach((words, place) => {
    const item = make("li", "personalq-answer", words);
    const undo = button("personalq-undo", "×", () => takeBack(place));
    undo.title = undo.ariaLabel = `Take back “${words}”`;
    item.append(undo);
    list.append(item);
  });
  const again = button("personalq-again", "Ask me again", () => takeBack(null));
  again.title = "Forgets the saved answers; the next run asks.";
  const row = make("div", "personalq-answered");
  row.append(list, again);
  return row;
}

/** Numbers choose; arrow keys go from choice to choice and to the field. @param {HTMLElement} content @param {KeyboardEvent} event */
export function onKey(content, event) {
  /** @type {HTMLElement[]} */
  const stops = [...content.querySelectorAll(/** @type {"button"} */ (".personalq-choice, .personalq-typed"))];
  if (!stops.length || event.ctrlKey || event.metaKey || event.altKey) return;
  const field = /** @type {HTMLElement} */ (stops.at(-1));
  const typing = event.target === field;
  const back = event.key === "ArrowUp" || (event.key === "ArrowLeft" && !typing);
  const on = event.key === "ArrowDown" || (event.key === "ArrowRight" && !typing);
  if (back || on) {
    const at = stops.findIndex((stop) => stop === document.activeElement);
    stops.at(at < 0 ? 0 : (at + (on ? 1 : -1)) % stops.length)?.focus();
  } else if (!typing && /^[1-9]$/.test(event.key) && Number(event.key) < stops.length) stops[Number(event.key) - 1].click();
  else return;
  event.preventDefault();
}
