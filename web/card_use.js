// A card goes into a request: dragged onto a Repo Check-in node or onto the canvas, or by a button.
import { app } from "../../scripts/app.js";
import { withWords } from "./cards.js";

/** @typedef {import("./cards.js").Card} Card */

const CHECK_IN = "PersonalQCheckIn";
const PUT = "personalq_put"; // of a node: the words that a card put into its request

/**
 * Lets `element` be dragged as this card.
 * @param {HTMLElement} element @param {Card} card
 */
export function dragAs(element, card) {
  element.draggable = true;
  /** @param {DragEvent} event */
  const over = (event) => {
    if (!isCanvas(event.target)) return;
    event.preventDefault(); // it may be dropped here
    event.stopPropagation();
    if (event.dataTransfer) event.dataTransfer.dropEffect = "copy";
  };
  /** @param {DragEvent} event */
  const drop = (event) => {
    if (!isCanvas(event.target)) return;
    event.preventDefault();
    event.stopPropagation();
    const [x, y] = app.clientPosToCanvasPos([event.clientX, event.clientY]);
    const node = app.canvas.graph?.getNodeOnPos(x, y);
    put(node?.comfyClass === CHECK_IN ? node : newCheckIn(x, y), card);
  };
  element.addEventListener("dragstart", (event) => {
    event.dataTransfer?.setData("text/plain", card.words);
    document.addEventListener("dragover", over, true);
    document.addEventListener("drop", drop, true);
  });
  element.addEventListener("dragend", () => {
    document.removeEventListener("dragover", over, true);
    document.removeEventListener("drop", drop, true);
  });
}

/**
 * Puts the card into the selected Repo Check-in, else into the first one on screen, else into a new one.
 * @param {Card} card
 */
export function useCard(card) {
  const nodes = (app.canvas.graph?.nodes ?? []).filter((node) => node.comfyClass === CHECK_IN);
  const node = nodes.find((one) => app.canvas.selectedItems.has(one)) ?? nodes[0] ?? newCheckIn(...centre());
  put(node, card);
  app.canvas.selectItems([node]);
}

/** Whether something is dropped onto the graph: what lies above it are nodes and their widgets.
 * @param {EventTarget | null} target */
const isCanvas = (target) => target instanceof Element && !!target.closest("canvas, .lg-node, .dom-widget, #graph-canvas-container");

/** @returns {[number, number]} */
function centre() {
  const box = app.canvas.canvas.getBoundingClientRect();
  const [x, y] = app.clientPosToCanvasPos([box.left + box.width / 2, box.top + box.height / 2]);
  return [x, y];
}

/** @param {number} x @param {number} y */
function newCheckIn(x, y) {
  /** @type {any} */
  const { LiteGraph } = window;
  const node = LiteGraph.createNode(CHECK_IN);
  node.pos = [x, y];
  app.canvas.graph?.add(node);
  request(node).value = "";
  return node;
}

/** @param {any} node */
const request = (node) => node.widgets.find((/** @type {ComfyWidget} */ widget) => widget.name === "request");

/** @param {any} node @param {Card} card */
function put(node, card) {
  const widget = request(node);
  app.canvas.emitBeforeChange();
  widget.value = withWords(String(widget.value), card, node.properties[PUT]);
  widget.callback?.(widget.value);
  node.properties[PUT] = card.words;
  app.canvas.emitAfterChange();
  app.canvas.setDirty(true, true);
}
