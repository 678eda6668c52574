// Shows in the nodes what each run decided. A run never waits: a question arrives with its end, the answer starts the next one.
import { api } from "../../scripts/api.js";
import { app } from "../../scripts/app.js";
import { addClarify, closeQuestion, isOpen, openQuestion, questionArea } from "./clarify.js";
import { findNode, howToReach } from "./find_node.js";
import { workflowOf } from "./run_workflow.js";
import { addWhy, showWhy } from "./why.js";

const CLARIFY = "PersonalQClarify";
const WITH_WHY = ["CheckIn", "TriggerRewrite", "TAQ", "Sensitivity", "Calibrate"].map((name) => `PersonalQ${name}`);
const said = new Map(); // workflow id -> execution id -> {payload, seen}: what runs said, also in workflows not shown now

const rootGraph = () => app.rootGraph ?? app.graph;
const toast = (severity, detail, life) => app.extensionManager.toast.add({ severity, summary: "PersonalQ", detail, life });

async function onExecuted({ detail }) {
  const payload = detail.output?.personalq?.[0];
  if (!payload) return;
  const workflow = (await workflowOf(detail.prompt_id)) ?? rootGraph().id;
  if (!said.has(workflow)) said.set(workflow, new Map());
  said.get(workflow).set(String(detail.display_node ?? detail.node), { payload, seen: false });
  if (workflow === rootGraph().id) showAll();
  else if (payload.question) toast("info", `A question waits in another workflow tab: ${payload.question.text}`, 10000);
}

/** Shows what was said in the workflow on screen. A question is opened once; the reasons come back when a tab does. */
function showAll() {
  for (const [id, entry] of said.get(rootGraph().id) ?? []) {
    const node = findNode(rootGraph(), id);
    if (!node) continue;
    if (node.comfyClass !== CLARIFY) showWhy(node, entry.payload);
    if (!entry.seen && entry.payload.outcome) showDecision(node, entry.payload);
    entry.seen = true;
  }
}

function showDecision(checkIn, payload) {
  const clarify = clarifyOf(checkIn, payload);
  if (payload.outcome === "no_match") toast("warn", payload.why, 10000);
  if (payload.outcome !== "clarify") return clarify && closeQuestion(clarify, payload.answered);
  if (!clarify) return toast("warn", `${payload.question.text} Connect a Clarify node to Repo Check-in to answer.`, 10000);
  openQuestion(clarify, payload.request, payload.question);
  setTimeout(() => pointTo(checkIn, payload), 300); // after the page has drawn it
}

/** The Clarify node linked to this Check-in; by its execution id where the link crosses the edge of a subgraph. */
function clarifyOf(checkIn, payload) {
  const linked = checkIn.getInputNode(checkIn.findInputSlot("clarifier"));
  if (linked?.comfyClass === CLARIFY) return linked;
  return payload.clarify && findNode(rootGraph(), payload.clarify);
}

/** Says where the question is when it is not on screen. */
function pointTo(checkIn, payload) {
  const node = checkIn.graph && clarifyOf(checkIn, payload);
  if (!node || !isOpen(node)) return; // answered, or another workflow was opened meanwhile
  const box = questionArea(node).getBoundingClientRect();
  const visible = box.width && box.right > 0 && box.bottom > 0 && box.left < innerWidth && box.top < innerHeight;
  if (!visible) toast("info", `${payload.question.text} ${howToReach(node, app.canvas.graph)}`, 10000);
}

app.registerExtension({
  name: "PersonalQ",
  init() {
    const style = document.createElement("link");
    style.rel = "stylesheet";
    style.href = new URL("style.css", import.meta.url).href;
    document.head.append(style);
    api.addEventListener("executed", onExecuted);
  },
  nodeCreated(node) {
    if (node.comfyClass === CLARIFY) addClarify(node);
    else if (WITH_WHY.includes(node.comfyClass)) addWhy(node);
  },
  afterConfigureGraph: showAll,
});
