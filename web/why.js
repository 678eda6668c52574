// What the last run said, on the node and saved with it, so that it is there again after a reload.
import { app } from "../../scripts/app.js";
import { make } from "./page.js";
import { addPanel } from "./panel.js";
import { after, remember } from "./remember.js";
import { reportBars, smallReport } from "./report.js";
import { tokenBars } from "./token_bars.js";

/** @typedef {{why: string, notes?: string[], report?: import("./report.js").Report, tokens?: import("./token_bars.js").Token[]}} Said */

const SAID = "personalq_said";
/** @type {WeakMap<ComfyNode, (...parts: HTMLElement[]) => void>} */
const panels = new WeakMap();

/** Gives the node its line. @param {ComfyNode} node */
export function addWhy(node) {
  const content = make("div", "personalq-why");
  content.setAttribute("role", "status");
  panels.set(node, addPanel(node, "personalq_why", content));
  after(node, "onConfigure", () => show(node));
  show(node);
}

/** Shows what a run said: the sentence, and the report or measurement where there is one. @param {ComfyNode} node @param {Said} said */
export function showWhy(node, { why, notes, report, tokens }) {
  const kept = { why, ...(notes && { notes }), ...(tokens && { tokens }), ...(report && { report: smallReport(report) }) };
  const grows = !node.properties[SAID] && node.graph === app.canvas.graph;
  if (grows) app.canvas.bringToFront(node); // maybe below its neighbours
  node.properties[SAID] = /** @type {any} */ (kept);
  show(node);
  remember();
}

/** @param {ComfyNode} node */
function show(node) {
  const said = /** @type {Said | undefined} */ (/** @type {unknown} */ (node.properties[SAID]));
  const text = make("div", "personalq-why-text");
  if (!said) text.append(make("div", "personalq-dim", "Not run yet."));
  else text.append(make("div", "", said.why));
  if (said?.report) text.append(...reportBars(said.report, said.notes));
  if (said?.tokens?.length) text.append(tokenBars(said.tokens));
  panels.get(node)?.(text);
}
