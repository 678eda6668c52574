// Changes that a run makes to a node, not a person.
import { app } from "../../scripts/app.js";

/** Keeps such a change over a reload, without a step of its own in what can be undone. */
export function remember() {
  /** @type {any} the host's store of workflows; its types leave the tracker out */
  const workflows = app.extensionManager.workflow;
  workflows?.activeWorkflow?.changeTracker?.squashState?.();
}

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
