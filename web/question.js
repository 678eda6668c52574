// What the Clarify node shows of a question and of earlier answers, and its keys.
import { button, make, picture } from "./page.js";

/** @typedef {{label: string, detail: string, image?: import("./page.js").Picture | null}} Choice */
/** @typedef {{request: string, text: string, choices: Choice[]}} Question */

/**
 * The choices and the field for other words. `answer` gets what was chosen or typed.
 * @param {Question} question @param {(words: string) => void} answer
 */
export function choicesOf(question, answer) {
  const group = make("div", "personalq-choices");
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", `${question.text} Press the number of a choice, or move with the arrow keys.`);
  const pictured = question.choices.some((choice) => choice.image);
  question.choices.forEach((choice, place) => group.append(choiceButton(choice, place + 1, pictured, answer)));
  return [group, typed(answer)];
}

/**
 * A line for a question that was asked about other words than the request has now.
 * @param {Question} question
 */
export function outdatedNotice(question) {
  return make("div", "personalq-dim", `This was asked about “${question.request}”. The request has changed: run again.`);
}

/**
 * The answers given so far, each to be taken back, and a button that forgets all.
 * @param {string[]} answers @param {(place: number) => void} takeBack @param {() => void} forget
 */
export function answersList(answers, takeBack, forget) {
  const list = make("ul", "personalq-answers");
  list.setAttribute("aria-label", "Your answers");
  answers.forEach((words, place) => {
    const item = make("li", "personalq-answer");
    const undo = button("personalq-undo", "×", () => takeBack(place));
    undo.title = `Take back “${words}”`;
    undo.setAttribute("aria-label", undo.title);
    item.append(make("span", "", words), undo);
    list.append(item);
  });
  const again = button("personalq-again", "Ask me again", forget);
  again.title = "Forgets the saved answers; the next run asks.";
  const row = make("div", "personalq-answered");
  row.append(list, again);
  return row;
}

/**
 * Numbers choose; arrow keys go from choice to choice and to the field.
 * @param {HTMLElement} content @param {KeyboardEvent} event
 */
export function onKey(content, event) {
  const stops = [...content.querySelectorAll(".personalq-choice, .personalq-typed")];
  if (!stops.length || event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target instanceof HTMLInputElement;
  const steps = typing ? { ArrowDown: 1, ArrowUp: -1 } : { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
  const step = steps[/** @type {keyof typeof steps} */ (event.key)];
  let stop = null;
  if (step) {
    const at = stops.findIndex((each) => each === document.activeElement);
    stop = stops[at < 0 ? 0 : (at + step + stops.length) % stops.length];
  } else if (!typing && /^[1-9]$/.test(event.key)) stop = content.querySelectorAll(".personalq-choice")[Number(event.key) - 1];
  if (!(stop instanceof HTMLElement)) return;
  event.preventDefault();
  if (step) stop.focus();
  else stop.click();
}

/** @param {Choice} choice @param {number} number @param {boolean} pictured @param {(words: string) => void} answer */
function choiceButton(choice, number, pictured, answer) {
  const element = button("personalq-choice", "", () => answer(choice.label));
  element.setAttribute("aria-label", [choice.label, choice.detail].filter(Boolean).join(": "));
  element.setAttribute("aria-keyshortcuts", String(number));
  const text = make("span", "personalq-text");
  text.append(make("span", "personalq-label", choice.label), make("span", "personalq-dim", choice.detail));
  if (pictured) element.append(picture(choice.image));
  element.append(text, make("kbd", "personalq-key", String(number)));
  return element;
}

/** @param {(words: string) => void} answer */
function typed(answer) {
  const field = make("input", "personalq-typed");
  field.type = "text";
  field.placeholder = "or type an answer";
  field.setAttribute("aria-label", "Type an answer and press Enter");
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing && field.value.trim()) answer(field.value.trim());
  });
  return field;
}
