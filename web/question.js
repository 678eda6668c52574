// The parts of a question: its choices, the answers that were given, and the keys.
import { button, make, picture } from "./page.js";
import { text } from "./texts.js";

/**
 * The choices, and a field for other words. `answer` is called with the words that were chosen or typed.
 * @param {Question} question @param {(words: string) => void} answer
 */
export function choicesOf({ text: asked, choices }, answer) {
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
  group.ariaLabel = asked;
  const field = make("input", "typed");
  field.placeholder = text("or_type");
  field.ariaLabel = text("type_answer");
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing && field.value.trim()) answer(field.value.trim());
  });
  return [group, field];
}

/**
 * The answers given so far. `takeBack` is called with the places of those to remove.
 * @param {string[]} answers @param {(places: number[]) => void} takeBack
 */
export function answersList(answers, takeBack) {
  const items = answers.map((words, place) => {
    const undo = button("undo", "×", () => takeBack([place]));
    undo.title = undo.ariaLabel = text("take_back", words);
    return make("li", "answer", words, undo);
  });
  const list = make("ul", "answers", ...items);
  list.ariaLabel = text("your_answers");
  const again = button("again", text("ask_again"), () => takeBack([...answers.keys()]));
  again.title = text("ask_again_title");
  return make("div", "answered", list, again);
}

/**
 * Chooses by a number key; whether it did. @param {HTMLElement} content @param {KeyboardEvent} event
 */
export function chooseByKey(content, { key, ctrlKey, metaKey, altKey, repeat }) {
  if (ctrlKey || metaKey || altKey || repeat || !/^[1-9]$/.test(key)) return false;
  /** @type {HTMLElement | undefined} */
  const choice = [...content.querySelectorAll(/** @type {"button"} */ (".personalq-choice"))][Number(key) - 1];
  choice?.click();
  return Boolean(choice);
}

/**
 * Handles keys inside of a question: numbers choose, arrow keys move between the choices and the field.
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
    const at = stops.indexOf(/** @type {any} */ (document.activeElement));
    stops.at(at < 0 ? 0 : (at + (on ? 1 : -1)) % stops.length)?.focus();
  } else if (typing || !chooseByKey(content, event)) return;
  event.preventDefault();
}
