// Shows on the node what its last run said, and saves it with the node, so that it is still there after a reload.
import { make, status } from "./page.js";
import { addPanel, toFront } from "./panel.js";
import { after, remember } from "./remember.js";
import { reportBars } from "./report.js";
import { say } from "./texts.js";
import { tokenBars } from "./token_bars.js";

const SAID = "personalq_said";
const panels = new WeakMap();

/** Adds the panel to the node. @param {ComfyNode} node */
export function addWhy(node) {
  const content = status("why");
  panels.set(node, addPanel(node, "personalq_why", content, say("last_run")));
  after(node, "onConfigure", () => show(node));
  show(node);
}

/**
 * Shows what a run said: the sentence, and the report or measurement where there is one.
 * @param {any} node @param {Explained} said
 */
export function showWhy(node, said) {
  if (!panels.has(node)) return; // undo frees the ids of nodes for others
  if (!node.properties[SAID]) toFront(node);
  node.properties[SAID] = said;
  show(node);
  remember(node);
}

/** @param {any} node */
function show(node) {
  /** @type {Explained} */
  const { why, notes, report, tokens } = node.properties[SAID] ?? {};
  const text = make("div", "why-text", make("div", why ? "" : "dim", why ?? say("not_run")));
  if (report) text.append(...reportBars(report, notes));
  if (tokens?.length) text.append(tokenBars(tokens));
  panels.get(node)(text);
}
