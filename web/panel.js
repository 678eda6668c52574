// A piece of page inside a node, exactly as tall as what it shows, in the classic canvas and in Nodes 2.0.
import { app } from "../../scripts/app.js";
import { outermost } from "./page.js";
import { after, afterLayout, remember } from "./remember.js";

const MARGIN = 10; // what the classic canvas leaves free on each side of a DOM widget
const FIRST_GUESS = 18; // one line of text, until the page has measured it
const DRAWN = 100; // ms until Nodes 2.0 shows a node that was made anew

/**
 * Puts `content` last in the node. Nothing of it is saved or sent.
 * Returns a function that replaces what `content` shows, where it is given something; the node grows and shrinks with it.
 * @param {any} node @param {string} name @param {HTMLElement} content
 */
export function addPanel(node, name, content) {
  const frame = outermost("", content);
  frame.dataset.panel = name;
  frame.addEventListener("pointerdown", (event) => event.stopPropagation());
  frame.addEventListener("keydown", (event) => {
    if (!event.ctrlKey && !event.metaKey) event.stopPropagation(); // or Delete in here would delete the node
  });
  frame.addEventListener("wheel", (event) => {
    if (!frame.closest(".lg-node")) app.canvas.processMouseWheel(event); // Nodes 2.0 zooms by itself
  });

  let height = FIRST_GUESS;
  const tall = () => height + 2 * MARGIN;
  const options = { serialize: false, hideOnZoom: false, margin: MARGIN, getMinHeight: tall, getMaxHeight: tall };
  const widget = node.addDOMWidget(name, "PERSONALQ", frame, options);
  widget.serialize = false; // this one keeps it out of the saved workflow, the option out of the queued prompt

  const measure = () => (height = content.offsetHeight || height); // 0 while the node is not on screen
  let grown = 0; // by how much the node is taller than its user made it
  const fit = () => {
    const own = node.size[1] - grown;
    const wanted = Math.max(own, node.computeSize()[1]);
    grown = wanted - own;
    if (wanted !== node.size[1]) node.setSize([node.size[0], wanted]);
    app.canvas.setDirty(true, true);
  };
  const settle = () => {
    fit();
    remember(node);
    afterLayout(() => remember(node));
  };
  new ResizeObserver(() => {
    const before = height;
    if (measure() !== before) settle();
  }).observe(content);

  const takeOver = () => {
    const shown = node.graph === app.canvas.graph && document.querySelector(`[data-node-id="${node.id}"] [data-panel="${name}"]`);
    if (shown && shown !== frame) shown.replaceWith(frame); // undo made the node anew, and Nodes 2.0 kept what the old one showed
  };
  after(node, "onConfigure", () => {
    grown = 0; // the size is another
    setTimeout(takeOver, DRAWN);
  });

  return (/** @type {HTMLElement[]} */ ...parts) => {
    if (parts.length) content.replaceChildren(...parts);
    measure();
    settle();
  };
}
