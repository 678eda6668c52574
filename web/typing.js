// Decides while a request is typed: Repo Check-in shows what a run would choose, before Run. Nothing is loaded, and nothing is saved.
import { app } from "../../scripts/app.js";
import { answersOf, asksOfRun, onAnswer, requestOf, whenUnsure } from "./asking.js";
import { ask } from "./cards.js";
import { widgetOf } from "./clarify.js";
import { PROVENANCE, ranBy, showNote, showPreview, stands } from "./decision.js";
import { reason } from "./page.js";
import { after } from "./remember.js";
import { say } from "./texts.js";

const PAUSE = 300; // ms from the last key to the decision
const SLOW = 700; // ms after which the node says that models are being read
const INPUTS = ["request", "repository", "base_model", "chosen", "whole_prompt", "draw_what_fits", "each_in_its_place"];
const FILE = /(ckpt|unet)_name/; // widgets of loaders

/** @typedef {{shown: string, ran: string, timer: number, failed?: string}} State `shown`, `ran`: the inputs as they were then; "" if never; `failed`: why a run did */
/** @type {WeakMap<ComfyNode, State>} */
const states = new WeakMap();
let busy = false; // one preview at a time: what is typed meanwhile is decided afterwards

/** @param {ComfyNode} node */
const stateOf = (node) => /** @type {State} */ (states.get(node));

/** Watches what decides in a Repo Check-in. @param {ComfyNode} node */
export function watchTyping(node) {
  const state = { shown: widgetsOf(node), ran: "", timer: 0 };
  states.set(node, state);
  after(node, "onConfigure", () => {
    setTimeout(() => { // a workflow that is loaded is whole by then
      clearTimeout(state.timer); // the values were set one by one
      state.ran = state.shown = asksOfRun(node) ? widgetsOf(node) : "";
      typed(node); // what it shows may be of another library
    });
  });
  onAnswer(node, () => typed(node));
  after(node, "onConnectionsChange", () => setTimeout(typed, 0, node)); // as above
  for (const name of INPUTS) after(widgetOf(node, name), "callback", () => typed(node)); // Nodes 2.0 also calls it on loading
}

/** The node shows what a run with its inputs decided. @param {ComfyNode} node */
export function showsRun(node) {
  const state = stateOf(node);
  clearTimeout(state.timer);
  state.shown = state.ran = widgetsOf(node);
}

/** Shows why a run failed, also above what is still being decided for the request as it is. @param {ComfyNode} node @param {string} why */
export function showFailed(node, why) {
  stateOf(node).failed = why;
  showNote(node, why, "failed");
}

/** @param {ComfyNode} of */
function typed(of) {
  const node = of.graph ? of : /** @type {ComfyNode} */ (app.rootGraph.getNodeById(of.id)); // undo recreated it; app mode still calls the old one
  const state = stateOf(node);
  const now = state && widgetsOf(node);
  if (now === state?.shown) return;
  state.shown = now;
  clearTimeout(state.timer);
  state.failed = "";
  if (now === state.ran && ranBy(node)?.request !== requestOf(node)) state.ran = ""; // an opened workflow knew only its question
  if (now === state.ran || !requestOf(node)) showPreview(node);
  else state.timer = setTimeout(decide, PAUSE, node);
}

/** Decides a preview again, because models or settings have changed. @param {ComfyNode} node */
export function decideAnew(node) {
  const state = stateOf(node);
  state.failed = "";
  if (requestOf(node) && state.shown !== state.ran) decide(node);
}

/** @param {ComfyNode} node */
async function decide(node) {
  const state = stateOf(node);
  if (!node.graph) return;
  if (busy) return void (state.timer = setTimeout(decide, PAUSE, node));
  busy = true;
  const asked = state.shown;
  const isNow = () => state.shown === asked && state.ran !== asked;
  const slow = setTimeout(() => isNow() && showNote(node, say("deciding")), SLOW);
  const inputs = { ...valuesOf(node), connected: connectedFile(node), made_with: node.properties[PROVENANCE] };
  const said = await ask("preview", inputs).catch((error) => ({ error: reason(error) }));
  clearTimeout(slow);
  busy = false;
  if (!isNow()) return;
  if (said.error) showNote(node, said.error);
  else if (stands(node, said, !state.ran)) {
    showsRun(node);
    showPreview(node);
  } else showPreview(node, { ...said, preview: true });
  if (state.failed) showFailed(node, state.failed);
}

/** The node's own inputs that decide, and what Clarify says. @param {ComfyNode} node */
const valuesOf = (node) => ({ ...Object.fromEntries(INPUTS.map((name) => [name, widgetOf(node, name)?.value])), answers: answersOf(node), when_unsure: whenUnsure(node) });

/** The same as a text to compare, with the links. @param {ComfyNode} node */
const widgetsOf = (node) => JSON.stringify([valuesOf(node), node.inputs.map(({ link }) => link)]);

/** The file behind the connected model: null if none is connected, "" if it is not known. @param {any} node */
function connectedFile(node) {
  const slot = node.findInputSlot("model");
  if (node.inputs[slot]?.link == null) return null;
  // Links may go in a circle.
  for (let at = node.getInputNode(slot), max = 99; at && max--; at = at.getInputNode(at.inputs.findIndex((/** @type {{type: unknown}} */ { type }) => type === "MODEL"))) {
    const file = at.widgets?.find((/** @type {ComfyWidget} */ one) => FILE.test(one.name));
    if (file) return file.value;
  }
  return "";
}
