// How the host keeps changes of a node: a person's as a step that can be undone, a run's without one.
import { app } from "../../scripts/app.js";

const RESTORED = 50; // ms until undo has put its state there, at least

/** Makes a person's change one step. @param {() => void} change */
export function step(change) {
  app.canvas.emitBeforeChange();
  change();
  app.canvas.emitAfterChange();
}

/**
 * Keeps what a run did to a node over a reload. It goes into the state that the host compares with, at once: whenever the host
 * looks for changes, it finds those of a person alone.
 * @param {any} node
 */
export function remember(node) {
  const tracker = app.extensionManager.workflow?.activeWorkflow?.changeTracker;
  const state = copy(tracker?.activeState);
  if (!state || state.id !== node.graph?.rootGraph.id) return; // another workflow is being loaded
  if (tracker.changeCount) return; // part of a person's step
  if (tracker._restoringState) return void setTimeout(remember, RESTORED, node); // undo is about to put another state there
  const graphs = [state, ...(state.definitions?.subgraphs ?? [])];
  node.graph.updateExecutionOrder(); // which follows from what lies in front
  for (const kept of graphs.find(({ id }) => id === node.graph.id)?.nodes ?? []) {
    const now = node.graph.getNodeById(kept.id);
    if (now) kept.order = now.order;
    if (now !== node) continue;
    kept.properties = copy(node.properties);
    kept.size = [kept.size[0], node.size[1]]; // the width is a person's
  }
  if (JSON.stringify(state) === JSON.stringify(tracker.activeState)) return;
  tracker.activeState = state;
  tracker.updateModified();
}

/** @param {any} value */
const copy = (value) => value && JSON.parse(JSON.stringify(value));

/**
 * Does `then` after each call of a method that others may have, or may replace.
 * @param {any} object @param {string} method @param {() => void} then
 */
export function after(object, method, then) {
  const before = object[method];
  /** @this {any} @param {...any} args */
  object[method] = function (...args) {
    const result = before?.apply(this, args);
    then();
    return result;
  };
}

/** Does `then` when the page has been laid out anew, and the host has read from it how tall a node is. @param {() => void} then */
export function afterLayout(then) {
  const once = new ResizeObserver(() => {
    once.disconnect();
    then();
  });
  once.observe(document.body);
}
