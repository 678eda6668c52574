// What the last scan says about files: which could not be read, and why. Folded away until it is asked for.
import { make } from "./page.js";
import { say } from "./texts.js";

/** The notes as a list that opens; nothing if there are none. @param {Summary} about */
export function scanNotes({ unreadable, notices }) {
  if (!notices.length) return [];
  const others = notices.length - unreadable;
  const title = [
    unreadable && (unreadable === 1 ? say("one_unreadable") : say("unreadable", unreadable)),
    others > 0 && say("notices", others),
  ];
  const rows = notices.map(({ file, why }) => make("li", "", make("span", "label", file), ` ${why}`));
  return [make("details", "scanned", make("summary", "", title.filter(Boolean).join(" · ")), make("ul", "", ...rows))];
}
