// An HTML panel inside a node, exactly as tall as its content, on the classic canvas and in Nodes 2.0.
import { app } from "../../scripts/app.js";
import { keepKey, outermost } from "./page.js";
import { after, afterLayout } from "./remember.js";

const MARGIN = 10; // pixels that the classic canvas leaves free on each side of a DOM widget
const LINE = 18; // pixels: the height of a line of text

/**
 * Adds `content` at the end of the node. It is neither saved nor sent to the server.
 * Returns a function that replaces the children of `content` with its arguments, if any, and fits the node's height to it.
 * @param {any} node @param {string} name @param {HTMLElement} content @param {string} label its title in the host's app mode
 */
export function addPanel(node, name, content, label) {
  const frame = outermost("", content, {
    onpointerdown: (event) => event.stopPropagation(),
    onkeydown: keepKey,
    onwheel: (event) => {
      if (!frame.closest(".lg-node")) app.canvas.processMouseWheel(event); // in Nodes 2.0 the wheel zooms without this
    },
  });
  frame.dataset.panel = name;

  let height = LINE; // until the real height is measured
  const tall = () => height + 2 * MARGIN;
  const options = { serialize: false, hideOnZoom: false, hideInPanel: true, margin: MARGIN, getMinHeight: tall, getMaxHeight: tall };
  const widget = node.addDOMWidget(name, "PERSONALQ", frame, options);
  Object.defineProperty(widget, "width", { set() {} }); // the host's panel of a subgraph would make it as narrow as that is
  widget.label = label;
  widget.serialize = false; // this keeps it out of the saved workflow; the option keeps it out of the queued prompt

  let own = node.size[1]; // the height that its user made it, which the workflow saves
  let laid = own; // its height as it is drawn; 0 from loading until then
  const ownNow = () => {
    const now = node.size[1];
    const byHand = Math.min(laid && now - laid, now - node.computeSize()[1]) > 2 * LINE; // Nodes 2.0 itself makes it a little taller
    return byHand ? now : Math.min(own, now);
  };
  const fill = (/** @type {HTMLElement[]} */ ...parts) => {
    if (parts.length) content.replaceChildren(...parts);
    height = content.offsetHeight || height; // 0 while the node is not on screen
    own = ownNow();
    const wanted = Math.max(own, node.computeSize()[1]);
    if (wanted !== node.size[1]) node.setSize([node.size[0], wanted]);
    laid &&= wanted;
    app.canvas.setDirty(true, true);
    afterLayout(() => {
      if (laid || content.offsetHeight) laid = node.size[1]; // Nodes 2.0 may have made it taller
    });
  };
  new ResizeObserver(() => fill()).observe(content);

  const takeOver = () => {
    const shown = node.graph === app.canvas.graph
      && document.querySelector(`:is([data-node-id="${node.id}"], [data-widgets-grid-node-id="${node.id}"]) [data-panel="${name}"]`); // the latter in app mode
    if (shown && shown !== frame) shown.replaceWith(frame); // undo recreated the node, and the host still shows the old panel
  };
  after(node, "onSerialize", (info) => (info.size = [info.size[0], ownNow()]));
  after(node, "onConfigure", () => {
    own = node.size[1]; // as it was saved
    laid = 0;
    setTimeout(takeOver, 100); // ms until Nodes 2.0 shows a node that was recreated
  });

  return fill;
}

/** Moves the view down to a part of a panel, if that ends below what is seen. @param {Element} part */
export function intoView(part) {
  const { canvas, ds } = app.canvas;
  if (!canvas.checkVisibility()) part.scrollIntoView({ block: "nearest" }); // the host's app mode
  else ds.offset[1] -= Math.max(0, part.getBoundingClientRect().bottom + 8 - innerHeight) / ds.scale;
}

/** Brings a node that grows to the front, or other nodes may cover it. @param {any} node */
export const toFront = (node) => node.graph === app.canvas.graph && app.canvas.bringToFront(node);
