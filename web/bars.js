// A table with a bar in each row. The bar repeats what the row says in figures, so that a screen reader passes it by.
import { make } from "./page.js";

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {string} [detail] a smaller line below the name
 * @property {Record<string, number>} bars class -> length from 0 to 1; later ones lie on top
 * @property {string} value
 * @property {string} [className]
 */

/**
 * @param {string} caption @param {Row[]} rows
 * @returns {HTMLTableElement}
 */
export function barTable(caption, rows) {
  const table = make("table", "personalq-bars");
  table.append(make("caption", "personalq-dim", caption), ...rows.map(tableRow));
  return table;
}

/** @param {Row} row */
function tableRow({ name, detail, bars, value, className = "" }) {
  const element = make("tr", `personalq-bar ${className}`);
  const head = make("th", "");
  head.scope = "row";
  head.append(make("div", "personalq-name", name));
  head.title = detail ? `${name}: ${detail}` : name; // both may be cut off
  if (detail) head.append(make("div", "personalq-dim", detail));
  const track = make("div", "personalq-track");
  track.setAttribute("aria-hidden", "true");
  for (const [kind, length] of Object.entries(bars)) {
    const bar = make("div", `personalq-${kind}`);
    bar.style.width = `${100 * length}%`;
    track.append(bar);
  }
  const cell = make("td", "personalq-length");
  cell.append(track);
  element.append(head, cell, make("td", "personalq-value", value));
  return element;
}
