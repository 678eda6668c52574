// The question on Repo Check-in: its choices, and the answers that were given. A click, or words that are typed, go into the connected
// Clarify, else into the node's own input `answers`, and the workflow runs again.
import { app } from "../../scripts/app.js";
import { addAnswer, countsFor, oneLine, parseAnswers, removeAnswer } from "./answers.js";
import { isLinked, keepsAnswers, setValue, widgetOf } from "./clarify.js";
import { findNode } from "./find_node.js";
import { make, status } from "./page.js";
import { toFront } from "./panel.js";
import { answersList, choicesOf, onKey } from "./question.js";
import { after, remember, step } from "./remember.js";
import { say } from "./texts.js";

const OPEN = "personalq_question"; // the open question is saved with the workflow, so that a reload loses nothing
const ALIKE = "personalq_alike"; // other requests that ask for the same models, whose answers in the node count
const SHOWN = "personalq_answers"; // the answers of the last decision, in the page's language
/** @type {WeakMap<any, any>} */
const areas = new WeakMap();

/**
 * `choices`: those that are drawn; while they are the same, they stay, with what is typed below them; `request`: of what was decided last
 * @param {any} node @returns {{content: HTMLElement, line: HTMLElement, body: HTMLElement, given: HTMLElement, fit: () => void, drawn?: string, choices?: string, request?: string, answered?: () => void}}
 */
const partsOf = (node) => areas.get(node);
/** @param {any} node @returns {Question | undefined} */
const question = (node) => node.properties[OPEN];

/** The request as it is now; undefined if a link supplies it. @param {ComfyNode} node */
export const requestOf = (node) => (isLinked(node, "request") ? undefined : oneLine(widgetOf(node, "request").value));

/**
 * The question area of a Repo Check-in, which shows the question that is still open in a loaded workflow.
 * @param {ComfyNode} node @param {() => void} fit makes the node as tall as its panel
 */
export function addQuestion(node, fit) {
  const own = widgetOf(node, "answers");
  own.hidden = true; // as `chosen`, see decision.js
  const [line, body, given] = [status(), make("div", "body"), make("div", "body")];
  const content = make("div", "clarify", {
    onkeydown: (event) => onKey(content, event),
    tabIndex: -1, // takes over the focus of a pressed choice, so that the keys also work in the next question
  }, line, body, given);
  areas.set(node, { content, line, body, given, fit });
  const draw = () => render(node);
  after(node, "onConfigure", draw);
  after(own, "callback", draw);
  watch(node);
  const clone = node.clone;
  node.clone = () => {
    const copy = clone.call(node);
    delete copy?.properties[OPEN]; // the question belongs to the original node
    return copy;
  };
  return content;
}

/** Draws a frame when an input changes, which calls refresh(). @param {any} node */
export const watch = (node) => node.widgets.forEach((/** @type {ComfyWidget} */ each) => after(each, "callback", () => app.canvas.setDirty(true)));

/** Opens the question of a run or a preview; closes it if that asked none. @param {any} node @param {Payload} [payload] */
export function showQuestion(node, { question: asked, request, clarify, unheard, preview, heard, alike } = {}) {
  delete node.properties[OPEN];
  if (heard) node.properties[SHOWN] = heard;
  node.properties[ALIKE] = alike;
  partsOf(node).request = request;
  if (asked) {
    node.properties[OPEN] = { ...asked, request, clarify, unheard, preview };
    toFront(node);
  }
  render(node);
  remember(node);
}

/** Whether the node has an unanswered question of a run, not only of a preview. @param {ComfyNode} node */
export const asksOfRun = (node) => isOpen(node) && !question(node)?.preview;

/** Whether the node has an unanswered question. @param {ComfyNode} node */
export const isOpen = (node) => Boolean(question(node));

/** The part of the node's panel where its question is; all of it while it has none. @param {ComfyNode} node */
export const areaOf = (node) => /** @type {HTMLElement} */ (isOpen(node) ? partsOf(node).content : partsOf(node).content.parentElement);

/** Whether any part of the node's question, or of what it decided, is on screen. @param {ComfyNode} node */
export function onScreen(node) {
  if (node.flags.collapsed) return false; // its area is still drawn for one frame after a tab is opened
  const { left, right, top, bottom } = areaOf(node).getBoundingClientRect(); // all 0 while it is not drawn
  return right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
}

/** Draws the question anew when its request, the answers, or what to do without one were changed elsewhere. @param {ComfyNode} node */
export function refresh(node) {
  if (partsOf(node).drawn === stateOf(node)) return;
  render(node);
  partsOf(node).answered?.();
}

/** What is drawn follows from this. @param {ComfyNode} node */
const stateOf = (node) => JSON.stringify([question(node)?.preview || requestOf(node), answersOf(node), whenUnsure(node)]);

/** The widgets in which answers are kept, the one for new ones last. @param {ComfyNode} node */
function holders(node) {
  const clarify = clarifyOf(node);
  const own = isLinked(node, "answers") ? [] : [widgetOf(node, "answers")];
  return clarify ? [...own, widgetOf(clarify, "answer")] : own;
}

/** The connected Clarify; one in another graph than the node's is known while a question is open. @param {ComfyNode} node */
function clarifyOf(node) {
  const linked = node.graph && node.getInputNode(node.findInputSlot("clarifier"));
  return [linked, findNode(app.rootGraph, question(node)?.clarify ?? "")].find(keepsAnswers);
}

/** @param {any} node @param {string} words @param {string | false | null} [base] the base model to keep, in place of the answer */
function answer(node, words, base) {
  const { request, unheard, preview } = node.properties[OPEN];
  const clarify = clarifyOf(node);
  const shared = clarify?.getOutputNodes(0)?.some((/** @type {any} */ each) => each !== node);
  const widget = holders(node).at(-1);
  if (base) change(node, () => setValue(widgetOf(node, "base_model"), base));
  else if (widget) change(node, () => setValue(widget, addAnswer(widget.value, request, words, { shared, unheard, alike: node.properties[ALIKE] })));
  if (!preview) app.queuePrompt(0, 1);
}

/** @param {ComfyNode} node @param {() => void} act */
function change(node, act) {
  step(() => {
    delete node.properties[OPEN]; // it is answered now, or it followed from an answer that is being removed
    act();
    render(node);
  });
  partsOf(node).answered?.();
}

/** Calls `act` after the answers changed. @param {ComfyNode} node @param {() => void} act */
export const onAnswer = (node, act) => (partsOf(node).answered = act);

/** The texts with the answers, of which those for the request count. @param {ComfyNode} node */
export const answersOf = (node) => holders(node).map(({ value }) => String(value));

/** What the connected Clarify does where it is not clear which model is meant. @param {ComfyNode} node */
export function whenUnsure(node) {
  const clarify = clarifyOf(node);
  return clarify && widgetOf(clarify, "when_unsure").value;
}

/** @param {any} node */
function render(node) {
  const area = partsOf(node);
  const asked = question(node);
  const decided = area.request ?? asked?.request;
  const request = asked?.preview ? asked.request : (requestOf(node) ?? decided); // another preview follows at once
  const outdated = asked && request !== undefined && request !== asked.request;
  const open = outdated ? undefined : asked;
  const focused = area.content.matches(":focus-within");
  area.drawn = stateOf(node);
  area.line.className = open ? "personalq-question" : "personalq-dim";
  area.line.textContent = outdated ? say("outdated", asked.request) : (asked?.text ?? "");
  const choices = open ? JSON.stringify([open.text, open.choices]) : "";
  if (choices !== area.choices) area.body.replaceChildren(...(open ? choicesOf(open, (...said) => answer(node, ...said)) : []));
  area.choices = choices;
  const given = holders(node).flatMap((widget) =>
    parseAnswers(widget.value).map((one, place) => ({ ...one, place, widget, shown: node.properties[SHOWN]?.[one.words] ?? one.words })),
  );
  const now = given.filter((one) => countsFor(one, request, decided === request ? node.properties[ALIKE] : []) && !asked?.unheard?.includes(one.words));
  const takeBack = (/** @type {typeof now} */ some) => change(node, () => {
    for (const { widget, place } of some.toReversed()) setValue(widget, removeAnswer(widget.value, place));
  });
  area.given.replaceChildren(now.length ? answersList(now, takeBack) : "");
  area.fit();
  if (focused && !area.content.matches(":focus-within")) area.content.focus({ preventScroll: true });
}
