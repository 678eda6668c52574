// Reads and writes the text of the models that were picked by hand, the input `chosen` of Repo Check-in: a line for each model, its
// name first, and behind it what the user wants of it. A line "for: <request>" limits those below it to that request. The server reads
// it too (checkin/catalog/pinned.py).
import { byRequest, MOST, oneLine } from "./answers.js";

const PART = /(?:\\.|[^;\\]|;(?=\S)|\\$)+/g; // a part of a line: all up to a ";" before a space, or at the end
const KEYS = ["model", "sha256", "id", "kind", "base model", "trigger", "lineage", "version"];
const MORE = [...KEYS.slice(1), "strength", "triggers"]; // a line of its own that begins so goes on with the model above it

/** @param {string} text */
const plain = (text) => text.replace(/\\([;\\])/g, "$1");
/** @param {string} text */
const escaped = (text) => text.replace(/[;\\]/g, "\\$&");
/** @param {string} line */
const partsOf = (line) => (line.match(PART) ?? []).map((part) => part.trim()).filter(Boolean);

/** The key and the value of a part; the key is empty in a part without a colon. @param {string} part */
function said(part) {
  const [, key, value] = /^([\w ]+?)\s*:\s*(.*)$/.exec(part) ?? [];
  return key === undefined ? { key: "", value: plain(part) } : { key: key.toLowerCase(), value: plain(value) };
}

/**
 * The models that a text picks for a request; without one, those that it picks last.
 * @param {unknown} text @param {string} [request] @returns {PickedModel[]}
 */
export function parseChosen(text, request) {
  const all = byRequest(text);
  const of = (/** @type {string | null} */ one) => all.find((each) => each.request === one);
  /** @type {PickedModel[]} */
  const models = [];
  for (const line of (request === undefined ? all.at(-1) : (of(oneLine(request)) ?? of(null)))?.lines ?? []) {
    const parts = partsOf(line);
    const first = said(parts[0] ?? "");
    const last = models.at(-1);
    if (first.key === "answer") continue;
    if (last && parts.length === 1 && MORE.includes(first.key)) use(last, parts);
    else models.push(use({ name: nameIn(parts[0] ?? "", first), strength: null, on: true, triggers: null }, parts.slice(1)));
  }
  return models;
}

/**
 * A text with `added`, the models of a request, or "", in place of those for `request`, null for any, and for those that ask for the
 * same as it; without a request, in place of those that stand last. Models for any request go only where they are what is undone.
 * @param {string} text @param {string} added @param {string | null} [request] @param {string[]} [alike]
 */
export function replaced(text, added, request = byRequest(text).at(-1)?.request, alike = []) {
  const all = byRequest(text);
  const gone = [request, ...alike, ...(added || all.some((each) => each.request === request) ? [] : [null])];
  const left = all.filter((each) => !gone.includes(each.request))
    .filter((each, place, { length }) => each.request === null || place > length - MOST).map(({ part }) => part);
  return (request === null ? [added, ...left] : [...left, added]).join("\n").trim();
}

/** @param {string} part @param {{key: string, value: string}} first */
const nameIn = (part, first) => (KEYS.includes(first.key) ? first.value : plain(part));

/** Puts into a model what these parts of its line say. @param {PickedModel} model @param {string[]} parts */
function use(model, parts) {
  for (const { key, value } of parts.map(said)) {
    if (key === "triggers") model.triggers = /^(off)?$/i.test(value) ? [] : value.split(",").map((each) => each.trim());
    else if (!key && /^(on|off)$/i.test(value)) model.on = /^on$/i.test(value);
    else if ((key === "strength" || !key) && value && Number.isFinite(Number(value))) model.strength = Number(value);
  }
  return model;
}

/** The names of the models that a text picks, for a sentence. @param {Parameters<typeof parseChosen>} of */
export const namesIn = (...of) => parseChosen(...of).map(({ name }) => name).join(", ");

/** The triggers that are used. @param {UsedModel["triggers"]} triggers */
export const switchedOn = (triggers) => triggers.filter(({ on }) => on).map(({ text }) => text);

/** The text that picks these models with their use. @param {string} request @param {UsedModel[]} models */
export function picking(request, models) {
  const lines = models.map(({ line, on, strength, strength_said, triggers, triggers_said }) => {
    const [name, ...known] = line.match(PART) ?? [];
    const wanted = [strength_said && `strength: ${strength}`, !on && "off", triggers_said && `triggers: ${escaped(switchedOn(triggers).join(", ")) || "off"}`];
    return [name, ...wanted.filter(Boolean), ...known.map((part) => part.trim())].join("; ");
  });
  return [`for: ${oneLine(request)}`, ...lines].join("\n");
}
