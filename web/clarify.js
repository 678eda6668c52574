// The question inside the Clarify node. A click or typed words become the answer, which is an ordinary input of the node.
import { app } from "../../scripts/app.js";
import { addAnswer, parseAnswers } from "./answers.js";
import { make, picture } from "./page.js";
import { addPanel } from "./panel.js";

const OPEN = "personalq_question"; // the open question is saved with the workflow, so that a reload loses nothing
const areas = new WeakMap(); // node -> {content, show}

const answerWidget = (node) => node.widgets.find((widget) => widget.name === "answer");

/** Gives the Clarify node its question area, and shows the question that a loaded workflow still has open. */
export function addClarify(node) {
  const content = make("div", "personalq-clarify");
  areas.set(node, { content, show: addPanel(node, "personalq_clarify", content) });
  after(node, "onConfigure", () => render(node));
  after(answerWidget(node), "callback", () => render(node));
  render(node);
}

/** Opens a question: {text, choices: [{label, detail, image}]}, asked for `request`. */
export function openQuestion(node, request, question) {
  node.properties[OPEN] = { request, text: question.text, choices: question.choices };
  render(node);
  if (node.graph === app.canvas.graph) app.canvas.bringToFront(node); // it has grown, maybe below its neighbours
  rememberChange();
}

/** Closes the question, because the run decided; `answered` are the answers that it used. */
export function closeQuestion(node, answered) {
  const wasOpen = isOpen(node);
  delete node.properties[OPEN];
  render(node, answered.length ? `Answered: ${answered.join("; ")}` : noQuestion(node));
  if (wasOpen) rememberChange();
}

/** Whether the node has a question that nobody answered. */
export const isOpen = (node) => OPEN in node.properties;

/** The node's question area, to see whether it is on screen. */
export const questionArea = (node) => areas.get(node).content;

function answer(node, words) {
  const { request } = node.properties[OPEN];
  delete node.properties[OPEN];
  setAnswer(node, addAnswer(answerWidget(node).value, request, words));
  render(node, `Answered: ${words}. Running again.`);
  app.queuePrompt(0, 1);
}

function askAgain(node) {
  delete node.properties[OPEN];
  setAnswer(node, "");
  render(node, "The answer is forgotten. The next run asks again.");
  rememberChange();
}

function setAnswer(node, text) {
  const widget = answerWidget(node);
  widget.value = text;
  widget.callback?.(text);
}

function render(node, status) {
  const question = node.properties[OPEN];
  const saved = parseAnswers(answerWidget(node).value);
  const parts = question ? [questionText(question), choices(node, question), typed(node)] : [statusLine(status ?? savedStatus(saved))];
  if (saved.answers.length) parts.push(againButton(node));
  areas.get(node).show(...parts);
}

const savedStatus = ({ answers }) => (answers.length ? `Answered: ${answers.join("; ")}` : "No question.");

function noQuestion(node) {
  const stale = parseAnswers(answerWidget(node).value).answers.length;
  return stale ? "No question. The saved answer was for another request." : "No question.";
}

function statusLine(text) {
  const line = make("div", "personalq-dim", text);
  line.setAttribute("role", "status");
  return line;
}

function questionText(question) {
  const line = make("div", "personalq-question", question.text);
  line.setAttribute("role", "status");
  return line;
}

function choices(node, question) {
  const group = make("div", "personalq-choices");
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", question.text);
  const pictured = question.choices.some((choice) => choice.image);
  for (const choice of question.choices) group.append(choiceButton(node, choice, pictured));
  return group;
}

function choiceButton(node, choice, pictured) {
  const button = make("button", "personalq-choice");
  button.type = "button";
  button.setAttribute("aria-label", [choice.label, choice.detail].filter(Boolean).join(": "));
  if (pictured) button.append(picture(choice.image));
  const text = make("span", "personalq-text");
  text.append(make("span", "personalq-label", choice.label), make("span", "personalq-dim", choice.detail));
  button.append(text);
  button.addEventListener("click", () => answer(node, choice.label));
  return button;
}

function typed(node) {
  const field = make("input", "personalq-typed");
  field.type = "text";
  field.placeholder = "or type an answer";
  field.setAttribute("aria-label", "Type an answer and press Enter");
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing && field.value.trim()) answer(node, field.value.trim());
  });
  return field;
}

function againButton(node) {
  const button = make("button", "personalq-again", "Ask me again");
  button.type = "button";
  button.title = "Forgets the saved answer; the next run asks.";
  button.addEventListener("click", () => askAgain(node));
  return button;
}

/** Lets the front end notice a change that no click made, so that it is kept over a reload. */
function rememberChange() {
  app.canvas.emitBeforeChange();
  app.canvas.emitAfterChange();
}

function after(object, method, then) {
  const before = object[method];
  object[method] = function (...args) {
    const result = before?.apply(this, args);
    then();
    return result;
  };
}
