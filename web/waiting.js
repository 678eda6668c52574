// Leads to a question, or another message, of a Repo Check-in that is not on screen: a pin where a question is hidden, a note about
// what a run has just said. Number keys answer a question that is on screen.
import { app } from "../../scripts/app.js";
import { areaOf, isOpen, onScreen, refresh } from "./asking.js";
import { CHECK_IN } from "./clarify.js";
import { dimOutdated } from "./decision.js";
import { findNode, howToReach, nodesOf } from "./find_node.js";
import { addNote, tidyNotes } from "./notes.js";
import { drawPins } from "./pins.js";
import { chooseByKey } from "./question.js";
import { after } from "./remember.js";
import { openTab, reveal, tabOf } from "./reveal.js";
import { text } from "./texts.js";

let watching = false;

/** Starts to watch the questions of the workflow on screen, in each frame. */
export function watchQuestions() {
  if (watching) return;
  watching = true;
  after(app.canvas, "onDrawForeground", onFrame);
  window.addEventListener("keydown", onKey, true);
}

/**
 * Says where a new message is, unless it is on screen, with a button that leads there.
 * @param {string} workflow its id @param {string} id the execution id of the node that says it: there is one note for each
 * @param {string} title the message @param {(node: ComfyNode) => boolean} holds whether the node still says it
 */
export function pointTo(workflow, id, title, holds) {
  const shown = () => app.rootGraph.id === workflow;
  const find = () => findNode(app.rootGraph, id);
  const where = () => {
    if (!shown()) return tabOf(workflow) ? text("other_tab") : "";
    const node = find();
    const waits = node && holds(node) && !onScreen(node); // otherwise it is answered, on screen, or no longer in the workflow
    return waits ? howToReach(node, app.canvas.graph) : "";
  };
  const act = async () => {
    if (!shown()) await openTab(workflow);
    const node = find();
    if (node) await show(node);
  };
  addNote(`${workflow} ${id}`, { title, text: where, action: text("show"), act });
}

/** @param {ComfyNode} node */
async function show(node) {
  await reveal(node);
  areaOf(node)?.querySelector("button")?.focus({ preventScroll: true });
}

const checkIns = () => nodesOf(app.rootGraph).filter((node) => node.comfyClass === CHECK_IN);

function onFrame() {
  const nodes = checkIns();
  nodes.forEach(refresh);
  nodes.forEach(dimOutdated);
  drawPins(nodes.filter(isOpen), show);
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
function uncovered(area) {
  return [...area.querySelectorAll(".personalq-choice")].some((choice) => {
    const { left, top, width, height } = choice.getBoundingClientRect();
    return choice.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  });
}
