// The question inside the Clarify node. A click or typed words become the answer, which is an ordinary input of the node.
import { app } from "../../scripts/app.js";
import { addAnswer, oneLine, parseAnswers, removeAnswer } from "./answers.js";
import { make } from "./page.js";
import { addPanel } from "./panel.js";
import { answersList, choicesOf, onKey, outdatedNotice } from "./question.js";
import { after, remember } from "./remember.js";

/** @typedef {import("./question.js").Question} Question */

export const CLARIFY = "PersonalQClarify";
export const CHECK_IN = "PersonalQCheckIn";
const OPEN = "personalq_question"; // the open question is saved with the workflow, so that a reload loses nothing
const FORGOTTEN = "The answer is forgotten. The next run asks again.";

/** @typedef {{content: HTMLElement, line: HTMLElement, body: HTMLElement, fit: () => void, outdated: boolean}} Area */
/** @type {WeakMap<ComfyNode, Area>} */
const areas = new WeakMap();

/** @param {ComfyNode} node @param {string} name */
const widget = (node, name) => /** @type {ComfyWidget} */ (node.widgets?.find((each) => each.name === name));
/** @param {ComfyNode} node */
const saved = (node) => parseAnswers(widget(node, "answer").value);
/** @param {ComfyNode} node */
const question = (node) => /** @type {Question | undefined} */ (/** @type {unknown} */ (node.properties[OPEN]));
/** @param {ComfyNode} node */
const areaOf = (node) => /** @type {Area} */ (areas.get(node));

/**
 * Gives the Clarify node its question area, and shows the question that a loaded workflow still has open.
 * @param {ComfyNode} node
 */
export function addClarify(node) {
  const content = make("div", "personalq-clarify");
  const [line, body] = [make("div", "personalq-dim"), make("div", "personalq-body")];
  content.tabIndex = -1; // takes the focus of a pressed choice, so that keys work on in the next question
  content.addEventListener("keydown", (event) => onKey(content, event));
  line.setAttribute("role", "status"); // is read out when its text changes
  const show = addPanel(node, "personalq_clarify", content);
  areas.set(node, { content, line, body, fit: show, outdated: false });
  show(line, body);
  after(node, "onConfigure", () => render(node));
  after(widget(node, "answer"), "callback", () => render(node));
  const clone = node.clone;
  node.clone = function () {
    const copy = clone.call(this);
    if (copy) delete copy.properties[OPEN]; // the question is the original's
    return copy;
  };
  render(node);
}

/**
 * Notices a changed request of Repo Check-in: a question about the old one is then outdated.
 * @param {ComfyNode} checkIn
 */
export function watchRequest(checkIn) {
  after(widget(checkIn, "request"), "callback", () => app.canvas.setDirty(true)); // with the next frame comes refresh()
}

/**
 * Opens a question, asked for `request`.
 * @param {ComfyNode} node @param {string} request @param {Omit<Question, "request">} asked
 */
export function openQuestion(node, request, { text, choices }) {
  node.properties[OPEN] = /** @type {any} */ ({ request, text, choices });
  render(node);
  if (node.graph === app.canvas.graph) app.canvas.bringToFront(node); // it has grown, maybe below its neighbours
  remember();
}

/**
 * Closes the question, because the run decided; `answered` are the answers that it used.
 * @param {ComfyNode} node @param {string[]} answered
 */
export function closeQuestion(node, answered) {
  delete node.properties[OPEN];
  render(node, answered.length || !saved(node).answers.length ? undefined : "No question. The saved answer was for another request.");
  remember();
}

/** Whether the node has a question that nobody answered. @param {ComfyNode} node */
export const isOpen = (node) => Boolean(question(node));

/** Whether something of the node's question is on screen. @param {ComfyNode} node */
export function onScreen(node) {
  const box = areaOf(node).content.getBoundingClientRect();
  return box.width > 0 && box.right > 0 && box.bottom > 0 && box.left < innerWidth && box.top < innerHeight;
}

/** Puts the keyboard on the first choice. @param {ComfyNode} node */
export function focusQuestion(node) {
  const first = areaOf(node).content.querySelector("button");
  first?.focus({ preventScroll: true });
}

/** Shows it where the request has changed since the question was asked. @param {ComfyNode} node */
export function refresh(node) {
  if (areaOf(node).outdated !== isOutdated(node)) render(node);
}

/** @param {ComfyNode} node @param {string} words */
function answer(node, words) {
  const asked = question(node);
  if (!asked) return;
  delete node.properties[OPEN];
  setAnswer(node, addAnswer(widget(node, "answer").value, asked.request, words));
  render(node, "Running again.");
  app.queuePrompt(0, 1);
}

/** @param {ComfyNode} node @param {string} text @param {string} [status] */
function takeBack(node, text, status = FORGOTTEN) {
  delete node.properties[OPEN]; // it may have followed from what is taken back
  setAnswer(node, text);
  render(node, status);
  remember();
}

/** @param {ComfyNode} node @param {string} text */
function setAnswer(node, text) {
  const answers = widget(node, "answer");
  answers.value = text;
  answers.callback?.(text);
}

/** @param {ComfyNode} node @param {string} [status] */
function render(node, status) {
  const area = areaOf(node);
  const asked = question(node);
  const { answers } = saved(node);
  const focused = area.content.contains(document.activeElement);
  area.outdated = isOutdated(node);
  area.line.className = asked && !area.outdated ? "personalq-question" : "personalq-dim";
  area.line.textContent = asked ? asked.text : (status ?? statusOf(node));
  /** @type {HTMLElement[]} */
  const parts = !asked ? [] : area.outdated ? [outdatedNotice(asked)] : choicesOf(asked, (words) => answer(node, words));
  if (answers.length) {
    const without = (/** @type {number} */ place) => removeAnswer(widget(node, "answer").value, place);
    const undo = (/** @type {number} */ place) => takeBack(node, without(place), answers.length > 1 ? `“${answers[place]}” is taken back.` : FORGOTTEN);
    parts.push(answersList(answers, undo, () => takeBack(node, "")));
  }
  area.body.replaceChildren(...parts);
  area.fit();
  if (focused) area.content.focus({ preventScroll: true });
}

/** @param {ComfyNode} node */
function statusOf(node) {
  const { request, answers } = saved(node);
  if (!answers.length) return "No question.";
  const now = requestOf(node);
  const other = request !== null && now !== undefined && request !== oneLine(now);
  return other ? `Answered for another request: “${request}”.` : "Answered: the next run does not ask.";
}

/** @param {ComfyNode} node */
function isOutdated(node) {
  const asked = question(node);
  const now = asked && requestOf(node);
  return now !== undefined && asked !== undefined && oneLine(now) !== oneLine(asked.request);
}

/**
 * The request that the linked Check-in has now; undefined where it comes over a link or lies in another graph.
 * @param {ComfyNode} node @returns {string | undefined}
 */
function requestOf(node) {
  const checkIn = node.graph && node.getOutputNodes(0)?.find((each) => each.comfyClass === CHECK_IN);
  const linked = checkIn?.inputs.some((input) => input.widget?.name === "request" && input.link != null);
  return checkIn && !linked ? String(widget(checkIn, "request").value) : undefined;
}
