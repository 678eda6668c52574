// The prompt on Repo Check-in, with its triggers marked and what is left out struck through.
import { group, make } from "./page.js";
import { say } from "./texts.js";

/** @param {Piece[]} pieces */
export const promptLine = (pieces) =>
  group("prompt", say("prompt"), ...pieces.map(({ text, left_out, trigger }) => (left_out ? leftOut(text) : trigger ? make("mark", "trigger", text) : text)));

/** Words of the request that are not in the prompt; a screen reader says so. @param {string} text */
function leftOut(text) {
  const [before, after] = [` (${say("left_out")} `, ") "].map((words) => make("span", "spoken", words));
  return make("del", "left-out", { title: say("left_out_title") }, before, text, after);
}
