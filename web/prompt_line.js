// The prompt on Repo Check-in, with its triggers marked and what is left out struck through.
import { group, make } from "./page.js";
import { say } from "./texts.js";

/** @param {Piece[]} pieces @param {string[]} triggers as they stand in the prompt */
export function promptLine(pieces, triggers) {
  return group("prompt", say("prompt"), ...pieces.flatMap(({ text, left_out }) => (left_out ? leftOut(text) : marked(text, triggers))));
}

/** A text with each mention of a trigger marked; of two at one place, the longer. @param {string} text @param {string[]} triggers */
function marked(text, triggers) {
  const longest = triggers.filter(Boolean).sort((a, b) => b.length - a.length);
  if (!longest.length) return [text];
  const written = longest.map((trigger) => trigger.replace(/[^\p{L}\p{N}]/gu, "\\$&"));
  return text.split(new RegExp(`(${written.join("|")})`)).map((part, place) => (place % 2 ? make("mark", "trigger", part) : part));
}

/** Words of the request that are not in the prompt; a screen reader says so. @param {string} text */
function leftOut(text) {
  const [before, after] = [` (${say("left_out")} `, ") "].map((words) => make("span", "spoken", words));
  return [make("del", "left-out", { title: say("left_out_title") }, before, text, after)];
}
