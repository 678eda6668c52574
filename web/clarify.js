// The question inside the Clarify node. A click, or words that are typed, set the answer, which is an ordinary input of the node.
import { app } from "../../scripts/app.js";
import { addAnswer, oneLine, parseAnswers, removeAnswer } from "./answers.js";
import { make } from "./page.js";
import { addPanel } from "./panel.js";
import { answersList, choicesOf, onKey } from "./question.js";
import { after, remember, step } from "./remember.js";

export const CLARIFY = "PersonalQClarify";
export const CHECK_IN = "PersonalQCheckIn";
const OPEN = "personalq_question"; // the open question is saved with the workflow, so that a reload loses nothing
const areas = new WeakMap(); // node -> {content, line, body, fit, outdated}

/** @param {any} node @param {string} name @returns {ComfyWidget} */
export const widgetOf = (node, name) => node.widgets.find((/** @type {ComfyWidget} */ each) => each.name === name);
/** @param {any} node @returns {Question | undefined} */
const question = (node) => node.properties[OPEN];
/** @param {ComfyNode} node */
const saved = (node) => parseAnswers(widgetOf(node, "answer").value);

/**
 * Adds the question area to a Clarify node, and shows the question that is still open in a loaded workflow.
 * @param {ComfyNode} node
 */
export function addClarify(node) {
  const [line, body] = [make("div", "dim"), make("div", "body")];
  const content = make("div", "clarify");
  content.tabIndex = -1; // takes over the focus of a pressed choice, so that the keys also work in the next question
  content.addEventListener("keydown", (event) => onKey(content, event));
  line.role = "status"; // screen readers read it out when its text changes
  const fit = addPanel(node, "personalq_clarify", content);
  areas.set(node, { content, line, body, fit, outdated: false });
  fit(line, body);
  after(node, "onConfigure", () => render(node));
  after(widgetOf(node, "answer"), "callback", () => render(node));
  const clone = node.clone;
  node.clone = function () {
    const copy = clone.call(this);
    if (copy) delete copy.properties[OPEN]; // the question belongs to the original node
    return copy;
  };
  render(node);
}

/** Watches for changes of Repo Check-in's request, which make a question about the old one outdated. @param {ComfyNode} checkIn */
export function watchRequest(checkIn) {
  after(widgetOf(checkIn, "request"), "callback", () => app.canvas.setDirty(true)); // the next frame calls refresh()
}

/** Opens a question, asked for `request`. @param {any} node @param {string} request @param {Question} asked */
export function openQuestion(node, request, { text, choices }) {
  node.properties[OPEN] = { request, text, choices };
  render(node);
  if (node.graph === app.canvas.graph) app.canvas.bringToFront(node); // it has grown, and other nodes may now cover it
  remember(node);
}

/**
 * Closes the question, because the run came to a decision. `answered`: the answers that it used.
 * @param {ComfyNode} node @param {string[]} answered
 */
export function closeQuestion(node, answered) {
  delete node.properties[OPEN];
  const stale = saved(node).answers.length && !answered.length;
  render(node, stale ? "No question. The saved answer was for another request." : undefined);
  remember(node);
}

/** Whether the node has an unanswered question. @param {ComfyNode} node */
export const isOpen = (node) => Boolean(question(node));

/** Whether any part of the node's question is on screen. @param {ComfyNode} node */
export function onScreen(node) {
  if (node.flags.collapsed) return false; // its area is still drawn for one frame after a tab is opened
  const box = areas.get(node).content.getBoundingClientRect();
  return box.width > 0 && box.right > 0 && box.bottom > 0 && box.left < innerWidth && box.top < innerHeight;
}

/** Moves the keyboard focus to the first choice. @param {ComfyNode} node */
export const focusQuestion = (node) => areas.get(node).content.querySelector("button")?.focus({ preventScroll: true });

/** Redraws the question when a change of the request makes it outdated, or current again. @param {ComfyNode} node */
export function refresh(node) {
  if (areas.get(node).outdated !== isOutdated(node)) render(node);
}

/** @param {ComfyNode} node @param {string} text @param {string} status */
function setAnswer(node, text, status) {
  step(() => {
    delete node.properties[OPEN]; // it is answered now, or it followed from an answer that is being removed
    const answer = widgetOf(node, "answer");
    answer.value = text;
    answer.callback?.(text);
    render(node, status);
  });
}

/** @param {ComfyNode} node @param {string} [status] */
function render(node, status) {
  const area = areas.get(node);
  const asked = question(node);
  const { value } = widgetOf(node, "answer");
  const { answers } = parseAnswers(value);
  const focused = area.content.contains(document.activeElement);
  area.outdated = isOutdated(node);
  area.line.className = asked && !area.outdated ? "personalq-question" : "personalq-dim";
  area.line.textContent = asked?.text ?? status ?? statusOf(node);
  const parts = [];
  if (asked && area.outdated) {
    parts.push(make("div", "dim", `This was asked about “${asked.request}”. The request has changed: run again.`));
  } else if (asked) {
    parts.push(...choicesOf(asked, (words) => {
      setAnswer(node, addAnswer(value, asked.request, words), "Running again.");
      app.queuePrompt(0, 1);
    }));
  }
  if (answers.length) {
    parts.push(answersList(answers, (place) => {
      const text = place === null ? "" : removeAnswer(value, place);
      setAnswer(node, text, text ? "The answer is removed." : "All answers are removed. The next run asks again.");
    }));
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
  const other = request !== null && now !== undefined && request !== now;
  return other ? `Answered for another request: “${request}”.` : "Answered: the next run does not ask.";
}

/** @param {ComfyNode} node */
function isOutdated(node) {
  const asked = question(node);
  const now = asked && requestOf(node);
  return now !== undefined && now !== oneLine(asked?.request);
}

/**
 * The current request of the connected Repo Check-in; undefined if a link supplies the request, or the node is in another graph.
 * @param {ComfyNode} node
 */
function requestOf(node) {
  const checkIn = node.graph && node.getOutputNodes(0)?.find((each) => each.comfyClass === CHECK_IN);
  const linked = checkIn?.inputs.some((input) => input.widget?.name === "request" && input.link != null);
  return checkIn && !linked ? oneLine(widgetOf(checkIn, "request").value) : undefined;
}
