// Leads to open questions that are not on screen: a pin where one is hidden, and a note about one that has just been asked.
import { app } from "../../scripts/app.js";
import { CLARIFY, focusQuestion, isOpen, onScreen, refresh } from "./clarify.js";
import { howToReach } from "./find_node.js";
import { addNote, tidyNotes } from "./notes.js";
import { drawPins } from "./pins.js";
import { after } from "./remember.js";
import { openTab, reveal, tabOf } from "./reveal.js";

const rootGraph = () => app.rootGraph ?? app.graph;
let watching = false;

/** Starts to watch the questions of the workflow on screen, in each frame. */
export function watchQuestions() {
  if (!watching) after(app.canvas, "onDrawForeground", onFrame);
  watching = true;
}

/**
 * Says where a new question is, unless it is on screen, with a button that leads there.
 * @param {string} workflow its id @param {string} key of the node that asks: there is one note for each
 * @param {string} title the question @param {() => ComfyNode | null | undefined} find its node, in the workflow on screen
 */
export function pointTo(workflow, key, title, find) {
  const shown = () => rootGraph().id === workflow;
  const text = () => {
    if (!shown()) return tabOf(workflow) ? "A question waits in another workflow tab." : "";
    const node = find();
    const waits = node && isOpen(node) && !onScreen(node); // otherwise it is answered, on screen, or no longer in the workflow
    return waits ? howToReach(node, app.canvas.graph) : "";
  };
  const act = async () => {
    if (!shown()) await openTab(workflow);
    const node = find();
    if (node && isOpen(node)) await show(node);
  };
  addNote(`${workflow} ${key}`, { title, text, action: "Show", act });
}

/** @param {ComfyNode} node */
async function show(node) {
  await reveal(node);
  focusQuestion(node);
}

function onFrame() {
  const graphs = [rootGraph(), ...rootGraph().subgraphs.values()];
  const open = graphs.flatMap((graph) => graph.nodes).filter((node) => node.comfyClass === CLARIFY && isOpen(node));
  open.forEach(refresh);
  drawPins(open, show);
  tidyNotes();
}
