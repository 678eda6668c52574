// When one of our nodes ends a run with an error, a toast says what to do next. Our own errors say it in their message; for the most
// common other errors this file has the advice.

const MAX_CHARS = 500; // characters of an error that the toast shows; ComfyUI's own dialog shows all of it
const OWN = /^(ValueError|FileNotFoundError)$|\.(checkin|taq_kernels)\./; // kinds of error whose message already says the next step
const STEPS = [
  [
    /out ?of ?memory|not enough memory|can't allocate/i,
    "Unload models (in the menu) and run again, choose W4A8 in TAQ Quantize Model, or make the picture smaller.",
  ],
  [/^PermissionError|read-only file system/i, "Let ComfyUI write into that folder, and run again."],
  [/no space left|disk is full/i, "Free disk space, and run again. The folder models/personalq can be deleted at any time."],
  [/safetensors|header too large|incomplete metadata/i, "The model file is damaged or still being written: download or copy it again."],
  [/^ModuleNotFoundError|^ImportError/, "Install what is missing with the Python that runs ComfyUI, and start it again."],
];
const UNKNOWN = "This should not happen. Open the error's report and send it with what you typed.";

/**
 * What to do after this error; empty if its message says so itself.
 * @param {string} type full name of the exception
 * @param {string} message
 */
export function nextStep(type, message) {
  const known = STEPS.find(([sign]) => /** @type {RegExp} */ (sign).test(`${type}: ${message}`));
  if (known) return String(known[1]);
  return OWN.test(type) ? "" : UNKNOWN;
}

/**
 * The toast for an error that ended a run; null if the node that failed is not one of ours.
 * @param {{node_type: string, node_id: string | number, exception_type: string, exception_message: string}} error
 * @param {string} [title] of the node, as the user sees it
 */
export function errorToast(error, title) {
  if (!error.node_type?.startsWith("PersonalQ")) return null;
  const message = error.exception_message.trim();
  const short = message.length > MAX_CHARS ? `${message.slice(0, MAX_CHARS)} …` : message;
  const detail = [short, nextStep(error.exception_type, message)].filter(Boolean).join("\n");
  return { severity: /** @type {const} */ ("error"), summary: `${title ?? error.node_type} (#${error.node_id})`, detail, life: 20000 };
}
