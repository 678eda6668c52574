// Leads to a question, or another message, of a Repo Check-in that is not on screen: a pin where a question is hidden, a note about
// what a run has just said. Number keys answer a question that is on screen.
import { app } from "../../scripts/app.js";
import { areaOf, isOpen, onScreen, refresh } from "./asking.js";
import { isCheckIn } from "./clarify.js";
import { findNode, holderIn, howToReach, nodesOf } from "./find_node.js";
import { addNote, tidyNotes } from "./notes.js";
import { button, outermost } from "./page.js";
import { chooseByKey } from "./question.js";
import { after, copy } from "./remember.js";
import { say } from "./texts.js";

let watching = false;

/** Starts to watch the questions of the workflow on screen, in each frame. */
export function watchQuestions() {
  if (watching) return;
  watching = true;
  after(app.canvas, "onDrawForeground", onFrame);
  window.addEventListener("keydown", onKey, true);
}

/**
 * Says where a new message is, with a button that leads there; once for each message of a node.
 * @param {string} workflow its id @param {string} id the execution id of the node that says it
 * @param {string} title the message @param {(node: ComfyNode) => boolean} holds whether it still has to be said
 */
export function pointTo(workflow, id, title, holds) {
  const shown = () => app.rootGraph.id === workflow;
  const find = () => findNode(app.rootGraph, id);
  const where = () => {
    if (!shown()) return tabOf(workflow) ? say("other_tab") : "";
    const node = find();
    return node && holds(node) ? howToReach(node, app.canvas.graph) : "";
  };
  const act = async () => {
    const tab = tabOf(workflow);
    if (!shown() && tab) await app.loadGraphData(copy(tab.activeState), true, true, tab);
    const node = find();
    if (node) await show(node);
  };
  addNote(`${workflow} ${id} ${title}`, { title, text: where, act });
}

/** Each Repo Check-in of the workflow. */
export const checkIns = () => nodesOf(app.rootGraph).filter(isCheckIn);

function onFrame() {
  const nodes = checkIns();
  nodes.forEach(refresh);
  drawPins(nodes.filter(isOpen));
  tidyNotes();
}

/** Chooses by a number key, if one question is on screen and nothing else takes the key. @param {KeyboardEvent} event */
function onKey(event) {
  if (event.composedPath().some((each) => each instanceof Element && each.matches("input, textarea, select, [contenteditable]"))) return;
  const [area, ...others] = checkIns().filter((node) => isOpen(node) && onScreen(node)).map(areaOf);
  if (!area || others.length || !uncovered(area) || !chooseByKey(area, event)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Whether a choice can be seen, and no dialog lies over it. @param {Element} area */
const uncovered = (area) => [...area.querySelectorAll(".personalq-choice")].some((choice) => {
  const { left, top, width, height } = choice.getBoundingClientRect();
  return choice.contains(document.elementFromPoint(left + width / 2, top + height / 2));
});

// The pins: a button above each node that hides an open question, such as the closed subgraph that holds it.

const TITLE = 30; // the height of a node's title, in the graph's units
const layer = outermost("pins");
/** @type {Map<ComfyNode, HTMLElement>} */
let pins = new Map();

/**
 * Shows a pin for each of these nodes that is hidden in the graph on screen.
 * @param {ComfyNode[]} nodes
 */
function drawPins(nodes) {
  const { canvas, graph, ds } = app.canvas;
  const hidden = new Map(nodes.map((node) => [/** @type {ComfyNode} */ (graph && holderIn(graph, node)), node]));
  const holders = [...hidden].filter(([holder, node]) => holder && (holder !== node || node.flags.collapsed)).map(([holder]) => holder);
  if (holders.length !== pins.size || holders.some((holder) => !pins.has(holder))) {
    pins = new Map(holders.map((holder) => [holder, button("pin", say("question"), () => show(hidden.get(holder)), { ariaLabel: say("pin", holder.title), onwheel: (event) => void app.canvas.processMouseWheel(event) })]));
    layer.replaceChildren(...pins.values());
    if (pins.size) canvas.after(layer);
    else layer.remove();
  }
  for (const [holder, pin] of pins) {
    const [x, y] = ds.convertOffsetToCanvas([holder.pos[0], holder.pos[1] - TITLE]);
    pin.style.transform = `translate(${x}px, ${y}px) translateY(-100%)`;
  }
}

// Bringing a node on screen.

const READABLE = 0.7; // the smallest scale at which text can be read

/** Waits until the changes are drawn and the node's elements are on screen. */
async function drawn() {
  for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
}

/** The open tab of the workflow with this id; undefined when it is closed. @param {string} id */
const tabOf = (id) => app.extensionManager.workflow.openWorkflows.find((tab) => tab.activeState?.id === id);

/** Opens the graph that contains `node`, expands the node, centres it, and moves the focus into its panel. @param {any} node */
async function show(node) {
  const { canvas } = app;
  if (node.graph && canvas.graph !== node.graph) {
    canvas.setGraph(node.graph);
    await new Promise((done) => setTimeout(done, 250)); // until ComfyUI has fitted the view to a graph that it shows for the first time
  }
  if (node.flags.collapsed) node.collapse();
  await drawn(); // until then an expanded node does not have its size
  canvas.ds.scale = Math.max(canvas.ds.scale, READABLE);
  canvas.centerOnNode(node);
  await drawn();
  areaOf(node).querySelector("button")?.focus({ preventScroll: true });
}
