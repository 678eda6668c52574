// The question inside the Clarify node. A click or typed words become the answer, which is an ordinary input of the node.
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

/** Gives the Clarify node its question area, and shows the question that a loaded workflow still has open. @param {ComfyNode} node */
export function addClarify(node) {
  const [line, body] = [make("div", "dim"), make("div", "body")];
  const content = make("div", "clarify");
  content.tabIndex = -1; // takes the focus of a pressed choice, so that keys work on in the next question
  content.addEventListener("keydown", (event) => onKey(content, event));
  line.role = "status"; // is read out when its text changes
  const fit = addPanel(node, "personalq_clarify", content);
  areas.set(node, { content, line, body, fit, outdated: false });
  fit(line, body);
  after(node, "onConfigure", () => render(node));
  after(widgetOf(node, "answer"), "callback", () => render(node));
  const clone = node.clone;
  node.clone = function () {
    const copy = clone.call(this);
    if (copy) delete copy.properties[OPEN]; // the question is the original's
    return copy;
  };
  render(node);
}

/** Notices a changed request of Repo Check-in: a question about the old one is then outdated. @param {ComfyNode} checkIn */
export function watchRequest(checkIn) {
  after(widgetOf(checkIn, "request"), "callback", () => app.canvas.setDirty(true)); // with the next frame comes refresh()
}

/** Opens a question, asked for `request`. @param {any} node @param {string} request @param {Question} asked */
export function openQuestion(node, request, { text, choices }) {
  node.properties[OPEN] = { request, text, choices };
  render(node);
  if (node.graph === app.canvas.graph) app.canvas.bringToFront(node); // it has grown, maybe below its neighbours
  remember(node);
}

/** Closes the question, because the run decided with the `answered` answers. @param {ComfyNode} node @param {string[]} answered */
export function closeQuestion(node, answered) {
  delete node.properties[OPEN];
  const stale = saved(node).answers.length && !answered.length;
  render(node, stale ? "No question. The saved answer was for another request." : undefined);
  remember(node);
}

/** Whether the node has a question that nobody answered. @param {ComfyNode} node */
export const isOpen = (node) => Boolean(question(node));

/** Whether something of the node's question is on screen. @param {ComfyNode} node */
export function onScreen(node) {
  if (node.flags.collapsed) return false; // for a frame after a tab is opened, its area is drawn all the same
  const box = areas.get(node).content.getBoundingClientRect();
  return box.width > 0 && box.right > 0 && box.bottom > 0 && box.left < innerWidth && box.top < innerHeight;
}

/** Puts the keyboard on the first choice. @param {ComfyNode} node */
export const focusQuestion = (node) => areas.get(node).content.querySelector("button")?.focus({ preventScroll: true });

/** Shows it where the request has changed since the question was asked. @param {ComfyNode} node */
export function refresh(node) {
  if (areas.get(node).outdated !== isOutdated(node)) render(node);
}

/** @param {ComfyNode} node @param {string} text @param {string} status */
function setAnswer(node, text, status) {
  step(() => {
    delete node.properties[OPEN]; // it is answered, or may have followed from an answer that is taken back
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
      setAnswer(node, text, text ? "The answer is taken back." : "The answer is forgotten. The next run asks again.");
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

/** The request that the linked Check-in has now; undefined where it comes over a link or lies in another graph. @param {ComfyNode} node */
function requestOf(node) {
  const checkIn = node.graph && node.getOutputNodes(0)?.find((each) => each.comfyClass === CHECK_IN);
  const linked = checkIn?.inputs.some((input) => input.widget?.name === "request" && input.link != null);
  return checkIn && !linked ? oneLine(widgetOf(checkIn, "request").value) : undefined;
}
