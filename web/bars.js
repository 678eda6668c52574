// A table with a bar in each row. The bar repeats what the row says in figures: a screen reader passes it by.
import { make } from "./page.js";

/** @typedef {{name: string, detail?: string, bars: Record<string, number>, value: string, className?: string}} Row bars: class -> length up to 1 */

/** @param {string} caption @param {Row[]} rows */
export function barTable(caption, rows) {
  const table = make("table", "personalq-bars");
  table.append(make("caption", "personalq-dim", caption), ...rows.map(tableRow));
  return table;
}

/** @param {Row} row */
function tableRow({ name, detail = "", bars, value, className = "" }) {
  const head = make("th", "");
  head.scope = "row";
  head.title = `${name} ${detail}`; // both may be cut off
  head.append(make("div", "personalq-name", name), make("div", "personalq-dim", detail));
  const track = make("div", "personalq-track");
  track.ariaHidden = "true";
  for (const [kind, length] of Object.entries(bars)) {
    const bar = make("div", `personalq-${kind}`);
    bar.style.width = `${100 * length}%`;
    track.append(bar);
  }
  const cell = make("td", "personalq-length");
  cell.append(track);
  const row = make("tr", `personalq-bar ${className}`);
  row.append(head, cell, make("td", "personalq-value", value));
  return row;
}
