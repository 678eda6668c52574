// Repo Check-in and Clarify as nodes: their names and their inputs.

export const CLARIFY = "PersonalQClarify";
export const CHECK_IN = "PersonalQCheckIn";
const LIVE = 0; // the mode of a node that is neither muted nor bypassed

/** @param {any} node */
export const isCheckIn = (node) => node?.comfyClass === CHECK_IN;

/** @param {any} node @param {string} name @returns {ComfyWidget} */
export const widgetOf = (node, name) => node.widgets.find((/** @type {ComfyWidget} */ each) => each.name === name);

/** Changes a widget as a person would; its callback updates what depends on it. @param {ComfyWidget} widget @param {string} value */
export function setValue(widget, value) {
  widget.value = value;
  widget.callback?.(value);
}

/** Whether a link gives the value of this input. @param {ComfyNode} node @param {string} name */
export const isLinked = (node, name) => node.inputs.some((input) => input.widget?.name === name && input.link != null);

/** Whether answers can be written into a Clarify. @param {ComfyNode | null | undefined} node */
export const keepsAnswers = (node) => node?.comfyClass === CLARIFY && node.mode === LIVE && !isLinked(node, "answer");
