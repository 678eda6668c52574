// Shows on the node what Repo Check-in decided: the model, the reason, the prompt, and other models to use instead. A click on one
// writes it into the node's input `chosen`, so that the workflow saves the choice, and runs again.
import { app } from "../../scripts/app.js";
import { modelName } from "./answers.js";
import { widgetOf } from "./clarify.js";
import { offeredName } from "./offered_name.js";
import { button, make, picture } from "./page.js";
import { addPanel } from "./panel.js";
import { after, remember, step } from "./remember.js";

const SAID = "personalq_said";
const PROVENANCE = "personalq_made_with"; // the text that pins the model of the last run; the server reads and writes it too

const panels = new WeakMap(); // node -> {content, replace}

/** @param {ComfyNode} node */
const chosenText = (node) => String(widgetOf(node, "chosen").value ?? "").trim();

/** Adds the panel to the node. @param {ComfyNode} node */
export function addDecision(node) {
  const widget = widgetOf(node, "chosen");
  widget.hidden = true; // for the classic canvas, which has no advanced inputs; Nodes 2.0 reads only the options
  const content = make("div", "decision");
  panels.set(node, { content, replace: addPanel(node, "personalq_decision", content) });
  after(node, "onConfigure", () => showSaved(node));
  after(widget, "callback", () => showSaved(node)); // Nodes 2.0 also calls it on loading
  showSaved(node);
}

/** Shows what a run decided. @param {ComfyNode} node @param {Decided} said */
export function showDecided(node, said) {
  const { card, why, prompt, trigger, notices, offers, offered_name: name } = said;
  const pieces = said.pieces ?? [{ text: prompt ?? "", left_out: false }]; // of a workflow saved without them
  const parts = [card ? model(node, card, said) : row(status(why), undo(node, said))];
  if (prompt || said.pieces?.length) parts.push(promptLine(pieces, trigger));
  for (const notice of notices) parts.push(make("div", "dim", notice));
  if (card && name) parts.push(offeredName(name, card.name));
  if (offers.length) parts.push(make("div", "dim", card ? "Use instead" : "Use one of these"), offered(node, said));
  show(node, ...parts);
}

/** Saves in the workflow what a run decided, without the names of other models. @param {any} node @param {Decided} said */
export function keepDecided(node, { why, prompt, pieces, trigger, card, by_hand, made_with, notices }) {
  if (!made_with) return;
  node.properties[PROVENANCE] = made_with;
  node.properties[SAID] = { why, prompt, pieces, trigger, card, by_hand, notices, offers: [] };
  remember(node);
}

/** Shows what the workflow has saved of its last run. @param {any} node */
function showSaved(node) {
  const said = node.properties[SAID];
  const made = modelName(node.properties[PROVENANCE] ?? "");
  if (said) showDecided(node, said);
  else if (chosenText(node)) showChosen(node);
  else show(node, status(made ? `Made with ${made}.` : "Not run yet.", "dim"));
}

/** Shows which model was just chosen by hand, or that the choice was undone. @param {ComfyNode} node @param {string} [after] */
function showChosen(node, after = "") {
  const chosen = modelName(chosenText(node));
  show(node, row(status(`${chosen ? `You chose ${chosen}.` : "The request decides."}${after}`, "dim"), undo(node)));
}

/**
 * Replaces what the panel shows. If a button in it had the focus, its first button gets the focus.
 * @param {ComfyNode} node @param {...HTMLElement} parts
 */
function show(node, ...parts) {
  const panel = panels.get(node);
  if (!panel) return;
  const focused = panel.content.contains(document.activeElement);
  panel.replace(...parts);
  if (focused) panel.content.querySelector("button")?.focus({ preventScroll: true });
}

/** @param {...(HTMLElement | string)} parts */
const row = (...parts) => make("div", "row", ...parts);

/** @param {string} text @param {string} [classes] */
function status(text, classes = "") {
  const line = make("div", `why-text ${classes}`.trim(), text);
  line.role = "status";
  return line;
}

/** Version and date. @param {Model} card */
function facts({ version, created }) {
  const date = created && new Date(`${created}T00:00`).toLocaleDateString(undefined, { dateStyle: "medium" });
  return [version && `v${version.replace(/^v/i, "")}`, date].filter(Boolean);
}

/** @param {ComfyNode} node @param {Model} card @param {Decided} said */
function model(node, card, said) {
  const name = make("div", "label", card.name);
  if (card.sha256) name.title = `SHA-256 ${card.sha256}`;
  const known = [...facts(card), card.base_model, card.kind === "lora" ? "LoRA" : card.kind].filter(Boolean).join(" · ");
  const text = make("div", "text", row(name, undo(node, said)), make("div", "dim", known), status(said.why));
  return make("div", "model", picture(card.image), text);
}

/** The prompt with its trigger marked and what is left out struck through. @param {Piece[]} pieces @param {string} [trigger] */
function promptLine(pieces, trigger) {
  const line = make("div", "prompt");
  line.role = "group";
  line.ariaLabel = "Prompt";
  line.append(...pieces.flatMap(({ text, left_out }) => (left_out ? leftOut(text) : marked(text, trigger))));
  return line;
}

/** A text with each mention of the trigger marked. @param {string} text @param {string} [trigger] */
function marked(text, trigger) {
  const pieces = trigger ? text.split(trigger) : [text];
  return pieces.flatMap((piece, index) => (index ? [make("mark", "trigger", trigger ?? ""), piece] : [piece]));
}

/** Words of the request that are not in the prompt; a screen reader says so. @param {string} text */
function leftOut(text) {
  const words = make("del", "left-out", make("span", "spoken", " left out: "), text, make("span", "spoken", " end. "));
  words.title = "Only chose the model: not in the prompt. The switch whole_prompt keeps it.";
  return [words];
}

/** @param {ComfyNode} node @param {Decided} said */
function offered(node, said) {
  const group = make("div", "offers", ...said.offers.map((offer) => {
    const details = [offer.reason, facts(offer).join(" · ")].filter(Boolean);
    const take = button("offer", "", () => choose(node, offer.chosen));
    take.title = `Use ${offer.name} instead`;
    take.ariaLabel = [take.title, ...details].join(", ");
    const lines = details.map((detail) => make("span", "dim", detail));
    take.append(picture(offer.image), make("span", "text", make("span", "label", offer.name), ...lines));
    return take;
  }));
  group.role = "group";
  group.ariaLabel = said.card ? "Use another model instead" : "Use one of the nearest models";
  return group;
}

/** The button that undoes a choice; an empty text if nothing was chosen. @param {ComfyNode} node @param {Decided} [said] */
function undo(node, said) {
  if (!chosenText(node)) return "";
  const label = said?.by_hand === false ? "Forget my choice" : "Decide again";
  const element = button("again", label, () => choose(node, ""));
  element.title = "Removes your choice: the request decides again.";
  return element;
}

/** @param {ComfyNode} node @param {string} text */
function choose(node, text) {
  step(() => {
    pin(node, text);
    showChosen(node, " Running again.");
  });
  app.queuePrompt(0, 1);
}

/** Chooses a model for the next runs; an empty text undoes the choice. @param {ComfyNode} node @param {string} text */
export function pin(node, text) {
  const widget = widgetOf(node, "chosen");
  delete node.properties[SAID]; // the last decision no longer applies
  widget.value = text;
  widget.callback?.(text); // updates the panel
}
