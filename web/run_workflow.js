// Which workflow a run belongs to. A run may end while another workflow is on screen, and what a node says may come from the
// server's cache, where another workflow left it: only the run itself knows.
import { api } from "../../scripts/api.js";

/** @type {{promptId?: string, workflow?: Promise<string | undefined>}} */
let last = {};

/** The id of the workflow that this run was queued from; undefined when the server does not know it. @param {string} promptId */
export function workflowOf(promptId) {
  if (last.promptId !== promptId) {
    const answer = api.fetchApi(`/jobs/${encodeURIComponent(promptId)}`);
    last = { promptId, workflow: answer.then(async (job) => (job.ok ? (await job.json()).workflow_id : undefined)) };
  }
  return last.workflow;
}

