// The parts of a question: its choices, the answers that were given, and the keys.
import { button, group, make, picture, withDetails } from "./page.js";
import { say } from "./texts.js";

/**
 * The choices, and a field for other words. `answer` is called with the words that were chosen or typed. Where choices differ in their
 * base model, one can be kept for all requests; then it is called with that, too.
 * @param {Question} question @param {(words: string, base?: string | false | null) => void} answer
 */
export function choicesOf({ text: asked, choices }, answer) {
  const keep = choices.some((one) => one.base_model) && make("input", "", { type: "checkbox" });
  const buttons = choices.map(({ label, shown = label, detail, image, base_model: base }, place) => {
    const ariaKeyShortcuts = String(place + 1);
    const parts = [picture(image), withDetails(shown, detail), make("kbd", "key", ariaKeyShortcuts)];
    const ariaLabel = [shown, detail].filter(Boolean).join(": ");
    return button("choice", "", () => answer(label, keep && keep.checked && base), { ariaLabel, ariaKeyShortcuts }, ...parts);
  });
  /** @param {KeyboardEvent} event */
  const onkeydown = ({ key, isComposing }) => {
    if (key === "Enter" && !isComposing && field.value.trim()) answer(field.value.trim());
  };
  const field = make("input", "typed", { placeholder: say("or_type"), ariaLabel: say("type_answer"), onkeydown });
  return [group("choices", asked, ...buttons), keep ? make("label", "keep", keep, say("keep_base")) : "", field];
}

/**
 * The answers given so far, each with its words as they are shown. `takeBack` is called with those to remove.
 * @template {{shown: string}} Answer @param {Answer[]} answers @param {(some: Answer[]) => void} takeBack
 */
export function answersList(answers, takeBack) {
  const items = answers.map((one) => {
    const title = say("take_back", one.shown);
    return make("li", "answer", one.shown, button("undo", "×", () => takeBack([one]), { title, ariaLabel: title }));
  });
  const list = make("ul", "answers", { ariaLabel: say("your_answers") }, ...items);
  return make("div", "answered", list, button("again", say("ask_again"), () => takeBack(answers), { title: say("ask_again_title") }));
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
  /** @type {Record<string, number>} */
  const steps = { ArrowUp: -1, ArrowDown: 1, ...(!typing && { ArrowLeft: -1, ArrowRight: 1 }) };
  if (event.key in steps) {
    const at = stops.indexOf(/** @type {any} */ (document.activeElement));
    stops.at(at < 0 ? 0 : (at + steps[event.key]) % stops.length)?.focus();
  } else if (typing || !chooseByKey(content, event)) return;
  event.preventDefault();
}
