// Finds the workflow that a run belongs to. A run may end while another workflow is on screen, and a node's message may come from
// the server's cache, stored there by a run of another workflow: only the run itself knows its workflow.
import { api } from "../../scripts/api.js";

/** @type {{promptId?: string, workflow?: Promise<string | undefined>}} */
let last = {};

/** The id of the workflow that this run was queued from; undefined when the server does not know it or does not answer. @param {string} promptId */
export function workflowOf(promptId) {
  if (last.promptId !== promptId) {
    const workflow = api.fetchApi(`/jobs/${encodeURIComponent(promptId)}`).then(async (job) => (job.ok ? (await job.json()).workflow_id : undefined));
    last = { promptId, workflow: workflow.catch(() => void (last = {})) }; // the next message of the run asks again
  }
  return last.workflow;
}

