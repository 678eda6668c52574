// Uses a card: by dragging it onto Repo Check-in or the canvas, or by its button. The card's trigger goes into the request, and its
// model is chosen for that request, beside those that are.
import { app } from "../../scripts/app.js";
import { ask, cardPath } from "./cards.js";
import { CHECK_IN, isCheckIn, isLinked, widgetOf } from "./clarify.js";
import { chosenNow, useFor } from "./decision.js";
import { attempt } from "./page.js";
import { step } from "./remember.js";

const KIND = "application/x-personalq-card"; // tells a dragged card from dragged files and nodes
/** @type {ModelCard} */
let dragged;

/** @param {DragEvent} event */
function over(event) {
  if (!event.dataTransfer?.types.includes(KIND)) return;
  if (!(event.target instanceof Element && event.target.closest("canvas, .lg-node, .dom-widget"))) return;
  event.preventDefault();
  event.stopPropagation();
  if (event.type !== "drop") return;
  const [x, y] = app.clientPosToCanvasPos([event.clientX, event.clientY]);
  const node = app.canvas.graph?.getNodeOnPos(x, y);
  attempt(() => put(isCheckIn(node) ? node : newNode(event.clientX, event.clientY), dragged));
}

/** Makes `element` draggable as this card. @param {HTMLElement} element @param {ModelCard} card */
export function dragAs(element, card) {
  element.draggable = true;
  element.ondragstart = ({ dataTransfer }) => {
    dragged = card;
    dataTransfer?.setData(KIND, card.id);
    dataTransfer?.setData("text/plain", card.words);
    for (const type of /** @type {const} */ (["dragover", "drop"])) document.addEventListener(type, over, true); // added once, for all cards
  };
}

/**
 * Puts the card into the selected Repo Check-in, else the first of this graph, else a new one.
 * @param {ModelCard} card @param {string} [prompt] becomes the request
 */
export function useCard(card, prompt) {
  const nodes = (app.canvas.graph?.nodes ?? []).filter(isCheckIn);
  const { left, top, width, height } = app.canvas.canvas.getBoundingClientRect();
  return put(nodes.find((one) => app.canvas.selectedItems.has(one)) ?? nodes[0] ?? newNode(left + width / 2, top + height / 3), card, prompt);
}

/** A Repo Check-in that is put into the graph once it is filled. @param {number} left @param {number} top on the page */
function newNode(left, top) {
  const node = window.LiteGraph.createNode(CHECK_IN);
  node.pos = app.clientPosToCanvasPos([left, top]);
  return node;
}

/** @param {any} node @param {ModelCard} card @param {string} [prompt] becomes the request */
async function put(node, card, prompt = card.request) {
  const request = isLinked(node, "request") ? null : (prompt ?? String(widgetOf(node, "request").value));
  const said = { request, chosen: prompt ? "" : chosenNow(node) };
  const used = card.kind === "recipe" ? card : await ask(`${cardPath(card.id)}/words`, said);
  step(() => {
    if (!node.graph) app.canvas.graph?.add(node);
    useFor(node, used.request, used.chosen);
  });
  app.canvas.setDirty(true, true);
}
