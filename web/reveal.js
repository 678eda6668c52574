// Brings a node on screen: opens its workflow's tab and its subgraph, expands it and centres it.
import { app } from "../../scripts/app.js";

const READABLE = 0.7; // the smallest scale at which text can be read
const FITTED = 250; // ms until ComfyUI has fitted the view to a graph that it shows for the first time

/** @param {number} ms */
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
/** Waits until the changes are drawn and the node's elements are on screen. */
async function drawn() {
  for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
}

/** The open tab of the workflow with this id; undefined when it is closed. @param {string} id */
export function tabOf(id) {
  return app.extensionManager.workflow.openWorkflows.find((tab) => tab.activeState?.id === id);
}

/** Shows the tab of the workflow with this id. @param {string} id */
export async function openTab(id) {
  const tab = tabOf(id);
  if (tab) await app.loadGraphData(JSON.parse(JSON.stringify(tab.activeState)), true, true, tab);
}

/** Opens the graph that contains `node`, expands the node and centres it. @param {ComfyNode} node */
export async function reveal(node) {
  const canvas = app.canvas;
  if (node.graph && canvas.graph !== node.graph) {
    canvas.setGraph(node.graph);
    await wait(FITTED);
  }
  if (node.flags.collapsed) node.collapse();
  await drawn(); // until then an expanded node does not have its size
  canvas.ds.scale = Math.max(canvas.ds.scale, READABLE);
  canvas.centerOnNode(node);
  await drawn();
}
