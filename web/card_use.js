// Uses a card: by dragging it onto Repo Check-in or the canvas, or by its button. The card's trigger goes into the request, and the
// model is pinned: it is chosen, whatever the request says, until the node's button undoes the choice.
import { app } from "../../scripts/app.js";
import { withWords } from "./cards.js";
import { CHECK_IN, widgetOf } from "./clarify.js";
import { pin } from "./decision.js";
import { step } from "./remember.js";

const PUT = "personalq_put"; // property of a node: the words that a card put into its request

const KIND = "application/x-personalq-card"; // tells a dragged card from dragged files and nodes
/** @type {ModelCard} */
let dragged;

/** @param {DragEvent} event */
function over(event) {
  if (!event.dataTransfer?.types.includes(KIND)) return;
  if (!(event.target instanceof Element && event.target.closest("canvas, .lg-node, .dom-widget"))) return;
  event.preventDefault();
  event.stopPropagation();
  if (event.type === "drop") drop(event.clientX, event.clientY, dragged);
}

/** Makes `element` draggable as this card. @param {HTMLElement} element @param {ModelCard} card */
export function dragAs(element, card) {
  element.draggable = true;
  element.addEventListener("dragstart", ({ dataTransfer }) => {
    dragged = card;
    dataTransfer?.setData(KIND, card.id);
    dataTransfer?.setData("text/plain", card.words);
    for (const type of /** @type {const} */ (["dragover", "drop"])) document.addEventListener(type, over, true); // added once, for all cards
  });
}

/**
 * Puts the card into the selected Repo Check-in, else the first of this graph, else a new one.
 * @param {ModelCard} card @param {string} [prompt] becomes the request
 */
export function useCard(card, prompt) {
  const nodes = (app.canvas.graph?.nodes ?? []).filter((node) => node.comfyClass === CHECK_IN);
  const box = app.canvas.canvas.getBoundingClientRect();
  const node = nodes.find((one) => app.canvas.selectedItems.has(one)) ?? nodes[0];
  if (node) put(node, card, prompt);
  else drop(box.left + box.width / 2, box.top + box.height / 3, card, prompt);
}

/** @param {number} left @param {number} top on the page @param {ModelCard} card @param {string} [prompt] */
function drop(left, top, card, prompt) {
  const [x, y] = app.clientPosToCanvasPos([left, top]);
  const node = app.canvas.graph?.getNodeOnPos(x, y);
  if (node?.comfyClass === CHECK_IN) return put(node, card, prompt);
  const made = window.LiteGraph.createNode(CHECK_IN);
  made.pos = [x, y];
  app.canvas.graph?.add(made);
  put(made, card, prompt);
}

/** @param {any} node @param {ModelCard} card @param {string} [prompt] becomes the request */
function put(node, card, prompt) {
  const widget = widgetOf(node, "request");
  step(() => {
    widget.value = withWords(prompt ?? String(widget.value), card, prompt ? undefined : node.properties[PUT]);
    widget.callback?.(widget.value);
    if (card.triggered) node.properties[PUT] = card.words;
    pin(node, card.chosen);
  });
  app.canvas.setDirty(true, true);
}
