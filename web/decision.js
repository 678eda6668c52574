// What Repo Check-in decided, on the node: the model, why, the prompt, and others to take instead. A click writes the node's input
// `chosen` and runs again, so that the choice lives in the workflow.
import { app } from "../../scripts/app.js";
import { button, make, picture } from "./page.js";
import { addPanel } from "./panel.js";
import { after, remember, step } from "./remember.js";

/**
 * @typedef {{name: string, kind: string, version?: string, created?: string, base_model?: string, sha256?: string,
 *   image?: import("./page.js").Picture}} Model
 * @typedef {Model & {reason: string, chosen: string}} Offer
 * @typedef {{why: string, prompt?: string, trigger?: string, card?: Model, by_hand: boolean, made_with?: string, offers: Offer[],
 *   notices: string[]}} Said
 */

const SAID = "personalq_said";
const MADE_WITH = "personalq_made_with"; // the text that would choose the model of the last run; the server reads and writes it too

/** @type {WeakMap<ComfyNode, {content: HTMLElement, replace: (...parts: HTMLElement[]) => void}>} */
const panels = new WeakMap();

/** @param {ComfyNode} node @returns {any} */
const chosenWidget = (node) => node.widgets?.find((widget) => widget.name === "chosen");
/** @param {ComfyNode} node */
const chosenText = (node) => String(chosenWidget(node).value ?? "").trim();
/** @param {unknown} text */
const nameIn = (text) => (/^model:(.+)$/im.exec(String(text)) ?? /^(?!for:)(.+)$/im.exec(String(text)))?.[1].trim();

/** Gives the node its panel. @param {ComfyNode} node */
export function addDecision(node) {
  const widget = chosenWidget(node);
  widget.hidden = true; // on the classic canvas, which has no advanced inputs; Nodes 2.0 looks at the options alone
  const content = make("div", "personalq-decision");
  panels.set(node, { content, replace: addPanel(node, "personalq_decision", content) });
  after(node, "onConfigure", () => showSaved(node));
  after(widget, "callback", () => showSaved(node)); // Nodes 2.0 calls it when it loads, too
  showSaved(node);
}

/** Shows what a run decided. @param {ComfyNode} node @param {Said} said */
export function showDecided(node, said) {
  const { card, why, prompt, trigger, notices, offers } = said;
  const parts = [card ? model(node, card, said) : row(status(why), undo(node, said))];
  if (prompt) parts.push(promptLine(prompt, trigger));
  for (const notice of notices) parts.push(make("div", "personalq-dim", notice));
  if (offers.length) parts.push(make("div", "personalq-dim", card ? "Use instead" : "Use one of these"), offered(node, said));
  show(node, ...parts);
}

/** Keeps in the workflow what a run decided, without the names of other models. @param {ComfyNode} node @param {Said} said */
export function keepDecided(node, { why, prompt, trigger, card, by_hand, made_with, notices }) {
  if (!made_with) return;
  node.properties[MADE_WITH] = made_with;
  node.properties[SAID] = /** @type {any} */ ({ why, prompt, trigger, card, by_hand, notices, offers: [] });
  remember(node);
}

/** Shows what the workflow says of its last run. @param {ComfyNode} node */
function showSaved(node) {
  const said = /** @type {Said | undefined} */ (/** @type {unknown} */ (node.properties[SAID]));
  const made = nameIn(node.properties[MADE_WITH] ?? "");
  if (said) showDecided(node, said);
  else if (chosenText(node)) showChosen(node);
  else show(node, status(made ? `Made with ${made}.` : "Not run yet.", "personalq-dim"));
}

/** Shows what was just chosen, or that nothing is any more. @param {ComfyNode} node @param {string} [after] */
function showChosen(node, after = "") {
  const chosen = nameIn(chosenText(node));
  show(node, row(status(`${chosen ? `You chose ${chosen}.` : "The request decides."}${after}`, "personalq-dim"), undo(node)));
}

/** Replaces what the panel shows; who used a button of it stays in it. @param {ComfyNode} node @param {...HTMLElement} parts */
function show(node, ...parts) {
  const panel = panels.get(node);
  if (!panel) return;
  const focused = panel.content.contains(document.activeElement);
  panel.replace(...parts);
  if (focused) panel.content.querySelector("button")?.focus({ preventScroll: true });
}

/** @param {...(HTMLElement | string)} parts */
function row(...parts) {
  const line = make("div", "personalq-row");
  line.append(...parts);
  return line;
}

/** @param {string} text @param {string} [className] */
function status(text, className = "") {
  const line = make("div", `personalq-why-text ${className}`, text);
  line.setAttribute("role", "status");
  return line;
}

/** Version and date. @param {Model} card */
function facts({ version, created }) {
  const date = created && new Date(`${created}T00:00`).toLocaleDateString(undefined, { dateStyle: "medium" });
  return [version && `v${version.replace(/^v/i, "")}`, date].filter(Boolean);
}

/** @param {ComfyNode} node @param {Model} card @param {Said} said */
function model(node, card, said) {
  const text = make("div", "personalq-text");
  const name = make("div", "personalq-label", card.name);
  if (card.sha256) name.title = `SHA-256 ${card.sha256}`;
  const known = [...facts(card), card.base_model, card.kind === "lora" ? "LoRA" : card.kind].filter(Boolean).join(" · ");
  text.append(row(name, undo(node, said)), make("div", "personalq-dim", known), status(said.why));
  const line = make("div", "personalq-model");
  line.append(picture(card.image), text);
  return line;
}

/** The prompt with its trigger marked. @param {string} text @param {string} [trigger] */
function promptLine(text, trigger) {
  const line = make("div", "personalq-prompt");
  line.setAttribute("role", "group");
  line.setAttribute("aria-label", "Prompt");
  for (const [index, piece] of (trigger ? text.split(trigger) : [text]).entries()) {
    if (index) line.append(make("mark", "personalq-trigger", trigger));
    line.append(piece);
  }
  return line;
}

/** @param {ComfyNode} node @param {Said} said */
function offered(node, said) {
  const group = make("div", "personalq-offers");
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", said.card ? "Use another model instead" : "Use one of the nearest models");
  for (const offer of said.offers) {
    const details = [offer.reason, facts(offer).join(" · ")].filter(Boolean);
    const take = button("personalq-offer", "", () => choose(node, offer.chosen));
    take.title = `Use ${offer.name} instead`;
    take.setAttribute("aria-label", `${[take.title, ...details].join(", ")}`);
    const text = make("span", "personalq-text");
    text.append(make("span", "personalq-label", offer.name), ...details.map((detail) => make("span", "personalq-dim", detail)));
    take.append(picture(offer.image), text);
    group.append(take);
  }
  return group;
}

/** The button that takes a choice back; nothing where there is none. @param {ComfyNode} node @param {Said} [said] */
function undo(node, said) {
  if (!chosenText(node)) return "";
  const label = said?.by_hand === false ? "Forget my choice" : "Decide again";
  const element = button("personalq-again", label, () => choose(node, ""));
  element.title = "Forgets the model that you chose: the request decides.";
  return element;
}

/** @param {ComfyNode} node @param {string} text */
function choose(node, text) {
  const widget = chosenWidget(node);
  step(() => {
    delete node.properties[SAID]; // what was decided before
    widget.value = text;
    widget.callback?.(text);
    showChosen(node, " Running again.");
  });
  app.queuePrompt(0, 1);
}
