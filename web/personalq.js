// Shows in the nodes what each run decided. A run never waits for an answer: a question ends it, and the answer starts the next run.
import { api } from "../../scripts/api.js";
import { app } from "../../scripts/app.js";
import { CHECK_IN, CLARIFY, addClarify, closeQuestion, openQuestion, watchRequest } from "./clarify.js";
import { addDecision, keepDecided, showDecided } from "./decision.js";
import { errorToast } from "./errors.js";
import { findNode } from "./find_node.js";
import { followLanguage } from "./language.js";
import { addStyles } from "./page.js";
import { workflowOf } from "./run_workflow.js";
import { ranWith, watchTyping } from "./typing.js";
import { pointTo, watchQuestions } from "./waiting.js";
import { addWhy, showWhy } from "./why.js";

const WITH_WHY = ["TriggerRewrite", "TAQ", "Sensitivity", "Calibrate", "Describe", "Settings"].map((name) => `PersonalQ${name}`);
/** @type {Map<string, Map<string, {payload: Payload, seen: boolean}>>} workflow id -> execution id -> what its run said */
const said = new Map();

const rootGraph = () => app.rootGraph ?? app.graph;
/** @param {"info" | "warn"} severity @param {string} detail @param {number} life milliseconds */
const toast = (severity, detail, life) => app.extensionManager.toast.add({ severity, summary: "PersonalQ", detail, life });

/** @param {CustomEvent} event */
async function onExecuted({ detail }) {
  const payload = detail.output?.personalq?.[0];
  if (!payload) return;
  const workflow = (await workflowOf(detail.prompt_id)) ?? rootGraph().id;
  const entries = said.get(workflow) ?? new Map();
  said.set(workflow, entries);
  const id = String(detail.display_node ?? detail.node);
  entries.set(id, { payload, seen: false });
  if (workflow === rootGraph().id) showAll();
  else if (payload.question) lead(workflow, id, payload);
}

/** @param {CustomEvent} event */
function onError({ detail }) {
  const node = findNode(rootGraph(), detail.node_id); // may be a node of another workflow, if that one is on screen
  const message = errorToast(detail, node && node.comfyClass === detail.node_type ? node.title : undefined);
  if (message) app.extensionManager.toast.add(message);
}

/**
 * Shows in the nodes of the workflow on screen what their runs said. A question is opened only once; the rest is shown again when the
 * user returns to the workflow's tab.
 */
function showAll() {
  for (const [id, entry] of said.get(rootGraph().id) ?? []) {
    const node = findNode(rootGraph(), id);
    if (!node) continue;
    if (node.comfyClass === CHECK_IN) showDecided(node, entry.payload);
    else if (node.comfyClass !== CLARIFY) showWhy(node, entry.payload);
    if (!entry.seen && entry.payload.outcome) showDecision(node, id, entry.payload);
    entry.seen = true;
  }
}

/** @param {ComfyNode} checkIn @param {string} id @param {Payload} payload */
function showDecision(checkIn, id, payload) {
  keepDecided(checkIn, payload);
  ranWith(checkIn, payload.request);
  const clarify = clarifyOf(checkIn, payload);
  if (payload.outcome === "no_match") toast("warn", payload.why, 10000);
  if (payload.outcome !== "clarify") return clarify && closeQuestion(clarify, payload.answered);
  if (!clarify) return toast("warn", `${payload.question.text} Connect a Clarify node to Repo Check-in to answer.`, 10000);
  openQuestion(clarify, payload.request, payload.question);
  setTimeout(lead, 300, rootGraph().id, id, payload); // after the question is drawn
}

/**
 * The connected Clarify node, found by its execution id if the link crosses the border of a subgraph.
 * @param {ComfyNode} checkIn @param {Payload} payload
 */
function clarifyOf(checkIn, payload) {
  const linked = checkIn.getInputNode(checkIn.findInputSlot("clarifier"));
  if (linked?.comfyClass === CLARIFY) return linked;
  return payload.clarify && findNode(rootGraph(), payload.clarify);
}

/**
 * Shows the user the way to the question of the Repo Check-in with this execution id.
 * @param {string} workflow @param {string} id @param {Payload} payload
 */
function lead(workflow, id, payload) {
  pointTo(workflow, id, payload.question.text, () => {
    const checkIn = findNode(rootGraph(), id);
    return checkIn && clarifyOf(checkIn, payload);
  });
}

app.registerExtension({
  name: "PersonalQ",
  async init() {
    addStyles("style.css");
    api.addEventListener("executed", onExecuted);
    api.addEventListener("execution_error", onError);
    await followLanguage();
  },
  nodeCreated(node) {
    if (node.comfyClass === CLARIFY) {
      addClarify(node);
      watchQuestions();
    } else if (node.comfyClass === CHECK_IN) {
      addDecision(node);
      watchRequest(node);
      watchTyping(node);
    } else if (WITH_WHY.includes(node.comfyClass ?? "")) addWhy(node);
  },
  afterConfigureGraph: showAll,
});
