// Saves changes of a node with ComfyUI: a person's change as a step that can be undone, a run's change without such a step.
import { app } from "../../scripts/app.js";

/** Makes a person's change one step of undo. @param {() => void} change */
export function step(change) {
  app.canvas.emitBeforeChange();
  change();
  app.canvas.emitAfterChange();
}

/**
 * Saves what a run did to a node, so that it survives a reload. It is written at once into the state with which ComfyUI compares
 * the graph to find changes, so that ComfyUI finds only a person's changes.
 * @param {any} node
 */
export function remember(node) {
  const tracker = app.extensionManager.workflow?.activeWorkflow?.changeTracker;
  const state = copy(tracker?.activeState);
  if (!state || state.id !== node.graph?.rootGraph.id) return; // another workflow is being loaded
  if (tracker.changeCount) return; // part of a person's step
  if (tracker._restoringState) return void setTimeout(remember, 50, node); // undo is about to restore another state
  const graphs = [state, ...(state.definitions?.subgraphs ?? [])];
  node.graph.updateExecutionOrder(); // the order follows from which node lies in front
  for (const stored of graphs.find(({ id }) => id === node.graph.id)?.nodes ?? []) {
    const now = node.graph.getNodeById(stored.id);
    if (now) stored.order = now.order;
    if (now === node) stored.properties = copy(node.properties);
  }
  if (JSON.stringify(state) === JSON.stringify(tracker.activeState)) return;
  tracker.activeState = state;
  tracker.updateModified();
}

/** @param {any} value */
export const copy = (value) => value && JSON.parse(JSON.stringify(value));

/**
 * Calls `then` after each call of a method. The object may lack the method, or another extension may have replaced it.
 * @param {any} object @param {string} method @param {(...args: any[]) => void} then
 */
export function after(object, method, then) {
  const before = object[method];
  /** @this {any} @param {...any} args */
  object[method] = function (...args) {
    const result = before?.apply(this, args);
    then(...args);
    return result;
  };
}

/**
 * Calls `then` after the next layout of the page, when ComfyUI has read the heights of the nodes from it.
 * @param {() => void} then
 */
export function afterLayout(then) {
  const once = new ResizeObserver(() => {
    once.disconnect();
    then();
  });
  once.observe(document.body);
}
