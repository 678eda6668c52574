// What Repo Check-in decided, on the node: the model, why, the prompt, and others to take instead. A click writes the node's `chosen`
// input and runs again, so that a choice lives in the workflow.
import { app } from "../../scripts/app.js";
import { make, picture } from "./page.js";
import { addPanel } from "./panel.js";

/**
 * @typedef {{filename: string, type: string, subfolder: string}} Image
 * @typedef {{name: string, kind: string, version: ?string, created: ?string, base_model: ?string, sha256: ?string, image: ?Image}} Model
 * @typedef {Model & {reason: string, chosen: string}} Offer
 * @typedef {{outcome: string, why: string, prompt: ?string, trigger: ?string, card: ?Model, by_hand: boolean, made_with: ?string,
 *   offers: Offer[], notices: string[]}} Said
 */

const MADE_WITH = "personalq_made_with"; // which model the last run used, saved with the workflow
const KINDS = { lora: "LoRA" };
const panels = new WeakMap(); // node -> {content, replace}

const chosenWidget = (node) => node.widgets.find((widget) => widget.name === "chosen");
const nameIn = (text) => (/^model:(.+)$/im.exec(text) ?? /^(?!for:)(.+)$/im.exec(text))?.[1].trim();

/** Gives the node its panel. @param {any} node */
export function addDecision(node) {
  const widget = chosenWidget(node);
  widget.hidden = true; // on the classic canvas, which knows no advanced inputs; Nodes 2.0 asks the options alone
  const content = make("div", "personalq-decision");
  panels.set(node, { content, replace: addPanel(node, "personalq_decision", content) });
  for (const [owner, method] of [[node, "onConfigure"], [widget, "callback"]]) {
    const before = owner[method];
    owner[method] = function (...args) {
      const result = before?.apply(this, args);
      showSaved(node);
      return result;
    };
  }
  showSaved(node);
}

/** Shows what a run decided. @param {any} node @param {Said} said */
export function showDecided(node, said) {
  const parts = [said.card ? model(node, said) : row(status(said.why), undo(node, said))];
  if (said.prompt) parts.push(prompt(said.prompt, said.trigger));
  for (const notice of said.notices) parts.push(make("div", "personalq-dim", notice));
  if (said.offers.length) parts.push(make("div", "personalq-dim", said.card ? "Use instead" : "Use one of these"), offers(node, said));
  show(node, ...parts);
}

/** Keeps in the workflow which model a run used. @param {any} node @param {Said} said */
export function keepDecided(node, said) {
  if (said.made_with) node.properties[MADE_WITH] = said.made_with;
}

/** What is known before the first run. */
function showSaved(node, line) {
  const chosen = chosenWidget(node).value.trim();
  const made = nameIn(node.properties[MADE_WITH] ?? "");
  const known = chosen ? `You chose ${nameIn(chosen)}.` : made ? `Made with ${made}.` : "Not run yet.";
  show(node, row(status(line ?? known, "personalq-dim"), undo(node)));
}

/** Replaces what the panel shows; who used a button of it stays in it. */
function show(node, ...parts) {
  const { content, replace } = panels.get(node);
  const focused = content.contains(document.activeElement);
  replace(...parts);
  if (focused) content.querySelector("button")?.focus({ preventScroll: true });
}

function row(...parts) {
  const line = make("div", "personalq-row");
  line.append(...parts);
  return line;
}

function status(text, className = "") {
  const line = make("div", `personalq-why-text ${className}`, text);
  line.setAttribute("role", "status");
  return line;
}

function facts(card) {
  const made = card.created && new Date(`${card.created}T00:00`).toLocaleDateString(undefined, { dateStyle: "medium" });
  return [card.version && `v${card.version.replace(/^v/i, "")}`, made].filter(Boolean);
}

function model(node, said) {
  const { card } = said;
  const text = make("div", "personalq-text");
  const kind = [card.base_model, KINDS[card.kind] ?? card.kind].filter(Boolean);
  const name = make("div", "personalq-label", card.name);
  if (card.sha256) name.title = `SHA-256 ${card.sha256}`;
  text.append(row(name, undo(node, said)), make("div", "personalq-dim", [...facts(card), ...kind].join(" · ")), status(said.why));
  const line = make("div", "personalq-model");
  line.append(picture(card.image), text);
  return line;
}

function prompt(text, trigger) {
  const line = make("div", "personalq-prompt");
  line.setAttribute("aria-label", `Prompt: ${text}`);
  const pieces = trigger ? text.split(trigger) : [text];
  pieces.forEach((piece, index) => {
    if (index) line.append(make("mark", "personalq-trigger", trigger));
    line.append(piece);
  });
  return line;
}

function offers(node, said) {
  const group = make("div", "personalq-offers");
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", said.card ? "Use another model instead" : "Use one of the nearest models");
  for (const offer of said.offers) group.append(offerButton(node, offer));
  return group;
}

function offerButton(node, offer) {
  const detail = [offer.reason, ...facts(offer)].filter(Boolean).join(" · ");
  const button = make("button", "personalq-offer");
  button.type = "button";
  button.title = `Use ${offer.name} instead`;
  button.setAttribute("aria-label", `${button.title}: ${detail}`);
  const text = make("span", "personalq-text");
  text.append(make("span", "personalq-label", offer.name), make("span", "personalq-dim", detail));
  button.append(picture(offer.image), text);
  button.addEventListener("click", () => choose(node, offer.chosen, `You chose ${offer.name}. Running again.`));
  return button;
}

/** Takes back the choice; nothing where there is none. */
function undo(node, said) {
  if (!chosenWidget(node).value.trim()) return "";
  const button = make("button", "personalq-again", said?.by_hand === false ? "Forget my choice" : "Decide again");
  button.type = "button";
  button.title = "Forgets the model that you chose: the request decides.";
  button.addEventListener("click", () => choose(node, "", "The request decides. Running again."));
  return button;
}

function choose(node, text, line) {
  const widget = chosenWidget(node);
  widget.value = text;
  widget.callback?.(text);
  showSaved(node, line);
  app.queuePrompt(0, 1);
}
