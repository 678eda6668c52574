// When one of our nodes ends a run with an error, a toast says what to do next. Our own errors say it in their message; for the most
// common other errors this file has the advice.
import { say } from "./texts.js";

const MAX_CHARS = 500; // characters of an error that the toast shows; ComfyUI's own dialog shows all of it
const OWN = /^(ValueError|FileNotFoundError)$|\.(checkin|taq_kernels)\./; // kinds of error whose message already says the next step
/** @type {[RegExp, TextKey][]} */
const STEPS = [
  [/out ?of ?memory|not enough memory|can't allocate/i, "free_memory"],
  [/^PermissionError|read-only file system/i, "allow_writing"],
  [/no space left|disk is full/i, "free_disk"],
  [/SafetensorError|is corrupt|header too large|incomplete metadata/i, "damaged"],
  [/^ModuleNotFoundError|^ImportError/, "install"],
];

/**
 * What to do after this error; empty if its message says so itself.
 * @param {string} type full name of the exception
 * @param {string} message
 */
export function nextStep(type, message) {
  const [, step] = STEPS.find(([sign]) => sign.test(`${type}: ${message}`)) ?? [];
  if (step) return say(step);
  return OWN.test(type) ? "" : say("unknown_error");
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
