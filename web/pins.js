// A button above each node that hides an open question: a collapsed Clarify, or the closed subgraph that holds one.
import { app } from "../../scripts/app.js";
import { holderIn } from "./find_node.js";
import { button, outermost } from "./page.js";
import { text } from "./texts.js";

const TITLE = 30; // the height of a node's title, in the graph's units
const layer = outermost("pins");
/** @type {Map<ComfyNode, HTMLElement>} */
const pins = new Map();
/** @type {Map<ComfyNode, ComfyNode>} the node on screen -> the hidden node with the question */
let hidden = new Map();

/**
 * Shows a pin for each of these nodes that is hidden in the graph on screen.
 * @param {ComfyNode[]} nodes @param {(node: any) => unknown} show called when a pin is pressed
 */
export function drawPins(nodes, show) {
  const canvas = app.canvas;
  hidden = new Map();
  for (const node of nodes) {
    const holder = canvas.graph && holderIn(canvas.graph, node);
    if (holder && (holder !== node || node.flags.collapsed)) hidden.set(holder, node);
  }
  for (const [holder, pin] of pins) {
    if (hidden.has(holder)) continue;
    pin.remove();
    pins.delete(holder);
  }
  if (!hidden.size) layer.remove();
  for (const holder of hidden.keys()) {
    const pin = pins.get(holder) ?? newPin(holder, () => show(hidden.get(holder)));
    const [x, y] = canvas.ds.convertOffsetToCanvas([holder.pos[0], holder.pos[1] - TITLE]);
    pin.style.transform = `translate(${x}px, ${y}px) translateY(-100%)`;
  }
}

/** @param {ComfyNode} holder @param {() => unknown} act */
function newPin(holder, act) {
  if (!layer.isConnected) app.canvas.canvas.after(layer);
  const pin = button("pin", text("question"), act);
  pin.ariaLabel = text("pin", holder.title);
  pin.addEventListener("wheel", (event) => app.canvas.processMouseWheel(event));
  layer.append(pin);
  pins.set(holder, pin);
  return pin;
}
