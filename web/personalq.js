// Shows in the nodes what each run decided. A run never waits for an answer: a question ends it, and the answer starts the next run.
import { api } from "../../scripts/api.js";
import { app } from "../../scripts/app.js";
import { isOpen, onScreen, requestOf, showQuestion, watch } from "./asking.js";
import { CLARIFY, isCheckIn } from "./clarify.js";
import { isCompared } from "./compare.js";
import { addDecision, isNow, keepDecided, showDecided } from "./decision.js";
import { errorToast } from "./errors.js";
import { findNode } from "./find_node.js";
import { followLanguage, say, tellLanguage } from "./texts.js";
import { addStyles } from "./page.js";
import { workflowOf } from "./run_workflow.js";
import { settings } from "./settings.js";
import { decideAnew, showFailed, showsRun, watchTyping } from "./typing.js";
import { checkIns, pointTo, watchQuestions } from "./waiting.js";
import { addWhy, showWhy } from "./why.js";

/** @type {Map<string, {workflow: string, id: string, payload: Payload, prompt: string, seen: boolean}>} ids of workflow and node -> what its run said */
const said = new Map();
/** @type {{run?: string, picture?: Picture}} the newest picture of a run, a saved one before a temporary one */
let drawn = {};
/** @type {Parameters<typeof app.extensionManager.toast.add>[0] | undefined} */
let toast;

/** @param {CustomEvent} event */
async function onExecuted({ detail: { prompt_id: prompt, output, display_node, node } }) {
  const all = output?.personalq ?? []; // one for each request of a list
  const [payload, picture] = [all.find((/** @type {Payload} */ { question }) => question) ?? all[0], output?.images?.at(-1)];
  if (picture && (picture.type === "output" || drawn.run !== prompt)) drawn = { run: prompt, picture };
  if (payload && !isCompared(prompt)) {
    const workflow = (await workflowOf(prompt)) ?? app.rootGraph.id;
    const id = String(display_node ?? node);
    said.set(`${workflow} ${id}`, { workflow, id, payload, prompt, seen: false });
    if (workflow === app.rootGraph.id) showAll();
    else if (payload.question) lead(workflow, id, payload);
  }
  const [one, other] = [...said.values()].filter(({ payload, prompt }) => payload.outcome && prompt === drawn.run);
  if (one && !other) one.payload.picture = drawn.picture; // of several it is not known whose it is
}

/** Shows an error on Repo Check-in, else, or where that is not on screen, as the only toast. @param {CustomEvent} event */
async function onError({ detail }) {
  if (isCompared(detail.prompt_id)) return;
  const workflow = await workflowOf(detail.prompt_id);
  const found = findNode(app.rootGraph, detail.node_id); // a node of another workflow, if that one is on screen
  const node = (workflow ?? app.rootGraph.id) === app.rootGraph.id && found?.comfyClass === detail.node_type ? found : undefined;
  const message = errorToast(detail, node?.title);
  if (!message) return;
  if (node && isCheckIn(node)) {
    showFailed(node, message.detail);
    if (onScreen(node)) return;
  }
  if (toast) app.extensionManager.toast.remove(toast);
  app.extensionManager.toast.add((toast = message));
}

/**
 * Shows in the nodes of the workflow on screen what their runs said. A question is opened only once; the rest is shown again when the
 * user returns to the workflow's tab.
 */
function showAll() {
  for (const entry of said.values()) {
    const { workflow, id, payload } = entry;
    const node = workflow === app.rootGraph.id && findNode(app.rootGraph, id);
    const decides = isCheckIn(node);
    if (!node || decides !== "outcome" in payload) continue; // undo frees the ids of nodes for others
    if (!decides) showWhy(node, payload);
    else if (!entry.seen || isNow(node, payload)) showDecided(node, payload);
    if (entry.seen) continue;
    entry.seen = true;
    if (decides) showDecision(node, id, payload);
  }
}

/** @param {ComfyNode} checkIn @param {string} id @param {Payload} payload */
function showDecision(checkIn, id, payload) {
  keepDecided(checkIn, payload);
  const { question, request } = payload;
  const isOld = (/** @type {ComfyNode} */ node) => request !== (requestOf(node) ?? request);
  if (question && isOld(checkIn)) return pointTo(app.rootGraph.id, id, say("only_asked", request, question.text), isOld);
  if (isNow(checkIn, payload)) {
    showQuestion(checkIn, payload);
    showsRun(checkIn); // after it: a question names the Clarify that keeps its answers
  }
  if (payload.card) return;
  setTimeout(lead, 300, app.rootGraph.id, id, payload); // after it is drawn
}

/**
 * Shows the user the way to what the Repo Check-in with this execution id says.
 * @param {string} workflow @param {string} id @param {Payload} payload
 */
function lead(workflow, id, payload) {
  const holds = (/** @type {ComfyNode} */ node) => said.get(`${workflow} ${id}`)?.payload === payload && (isOpen(node) || !payload.question) && !onScreen(node);
  pointTo(workflow, id, payload.question?.text ?? payload.why, holds);
}

app.registerExtension({
  name: "PersonalQ",
  async init() {
    addStyles();
    api.addEventListener("executed", onExecuted);
    api.addEventListener("execution_error", onError);
    api.addEventListener("personalq_changed", () => checkIns().forEach(decideAnew));
    await followLanguage();
    app.registerExtension({ name: "PersonalQ.Settings", settings: settings() });
  },
  nodeCreated(node) {
    if (!node.comfyClass?.startsWith("PersonalQ")) return;
    tellLanguage();
    if (isCheckIn(node)) {
      addDecision(node);
      watchTyping(node);
      watchQuestions();
    } else if (node.comfyClass === CLARIFY) watch(node);
    else addWhy(node);
  },
  afterConfigureGraph: showAll,
});
