// Draws the same workflow with each of several models, with one seed, and shows the pictures side by side; a click takes one.
import { api } from "../../scripts/api.js";
import { app } from "../../scripts/app.js";
import { button, keepKey, make, outermost, picture, post, reason } from "./page.js";
import { say } from "./texts.js";

const EVENTS = /** @type {const} */ (["executed", "execution_success", "execution_error", "execution_interrupted"]);
/** @typedef {{name: string, chosen: string}} Compared a model, and the text in `chosen` that picks it */
/** @type {Set<string>} the ids of our runs, which show nothing on the nodes */
const ours = new Set();

/** Whether a run was made to compare models. @param {string} run */
export const isCompared = (run) => ours.has(run);

/**
 * Opens a dialog and fills it as the runs end. `take` is called with the model that was clicked.
 * @param {ComfyNode} node a Repo Check-in @param {Compared[]} models @param {(model: Compared) => void} take
 */
export function compare(node, models, take) {
  const closed = new AbortController();
  const tiles = models.map((model) => {
    const [frame, status] = [make("span", "frame"), make("span", "dim", { role: "status" }, say("waiting"))];
    const act = () => {
      dialog.close();
      take(model);
    };
    drawWith(node, model.chosen, frame, status, closed.signal).catch((error) => (status.textContent = reason(error)));
    return button("compared", "", act, { ariaLabel: say("use", model.name) }, frame, make("span", "label", model.name), status);
  });
  const title = say("compare_title");
  const onclose = () => {
    closed.abort();
    dialog.remove();
  };
  const all = outermost("comparison", make("div", "label", title), make("div", "compared-all", ...tiles), button("again", say("close"), () => dialog.close()));
  const dialog = make("dialog", "compare", { ariaLabel: title, onclose, onkeydown: keepKey }, all);
  document.body.append(dialog);
  dialog.showModal();
}

/**
 * Queues the workflow on screen with these models, and takes the run out of the queue when the dialog is closed.
 * @param {ComfyNode} node @param {string} chosen @param {HTMLElement} frame of the picture @param {HTMLElement} status @param {AbortSignal} closed
 */
async function drawWith(node, chosen, frame, status, closed) {
  const { output: prompt, workflow } = await app.graphToPrompt();
  const id = Object.keys(prompt).find((key) => key === String(node.id) || key.endsWith(`:${node.id}`));
  if (!id) throw new Error(say("not_in_run"));
  prompt[id].inputs.chosen = chosen;
  for (const each of Object.values(prompt)) {
    if (each.class_type === "SaveImage") Object.assign(each, { class_type: "PreviewImage", inputs: { images: each.inputs.images } });
  }
  const url = URL.createObjectURL(new Blob());
  URL.revokeObjectURL(url);
  const run = url.slice(-36); // an id as the host takes it; a page of another computer has no `crypto.randomUUID`
  ours.add(run);
  listen(run, frame, status, closed);
  const answer = await post("/prompt", { prompt_id: run, client_id: api.clientId, prompt, extra_data: { extra_pnginfo: { workflow } } });
  if (!answer.ok) throw new Error((await answer.json()).error?.message ?? String(answer.status));
  const cancel = () => api.fetchApi(`/jobs/${run}/cancel`, { method: "POST" });
  if (closed.aborted) cancel();
  closed.addEventListener("abort", cancel);
}

/** @param {string} run @param {HTMLElement} frame @param {HTMLElement} status @param {AbortSignal} signal */
function listen(run, frame, status, signal) {
  let none = say("no_picture");
  /** @param {any} event */
  const on = ({ type, detail }) => {
    const image = detail.output?.images?.[0];
    if (detail.prompt_id !== run || (type === "executed" && !image)) return;
    if (image) {
      frame.replaceChildren(picture(image));
      none = "";
    }
    status.textContent = none && (detail.exception_message ?? none);
  };
  for (const type of EVENTS) api.addEventListener(type, on, { signal });
}
