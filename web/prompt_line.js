// The prompt on Repo Check-in, with its triggers marked and what is left out struck through.
import { make } from "./page.js";
import { text as translated } from "./texts.js";

/** @param {Piece[]} pieces @param {string[]} triggers as they stand in the prompt */
export function promptLine(pieces, triggers) {
  const line = make("div", "prompt");
  line.role = "group";
  line.ariaLabel = translated("prompt");
  line.append(...pieces.flatMap(({ text, left_out }) => (left_out ? leftOut(text) : marked(text, triggers))));
  return line;
}

/** A text with each mention of a trigger marked. @param {string} text @param {string[]} triggers */
function marked(text, triggers) {
  const found = [];
  let rest = text;
  while (rest) {
    const [place, trigger] = next(rest, triggers);
    found.push(rest.slice(0, place));
    if (trigger) found.push(make("mark", "trigger", trigger));
    rest = rest.slice(place + trigger.length);
  }
  return found;
}

/**
 * The place of the first trigger in a text and the trigger, of two at one place the longer; else the end of the text.
 * @param {string} text @param {string[]} triggers @returns {[number, string]}
 */
function next(text, triggers) {
  const found = triggers.filter((trigger) => trigger && text.includes(trigger));
  const place = Math.min(text.length, ...found.map((trigger) => text.indexOf(trigger)));
  const here = found.filter((trigger) => text.startsWith(trigger, place)).sort((a, b) => b.length - a.length);
  return [place, here[0] ?? ""];
}

/** Words of the request that are not in the prompt; a screen reader says so. @param {string} text */
function leftOut(text) {
  const words = make("del", "left-out", make("span", "spoken", ` ${translated("left_out")} `), text, make("span", "spoken", " end. "));
  words.title = translated("left_out_title");
  return [words];
}
