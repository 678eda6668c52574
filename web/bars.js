// A table with a bar in each row. The bar repeats the row's figure, so it is hidden from screen readers.
import { make } from "./page.js";

/** @param {string} caption @param {BarRow[]} rows */
export const barTable = (caption, rows) => make("table", "bars", make("caption", "dim", caption), ...rows.map(tableRow));

/** @param {BarRow} row */
function tableRow({ name, detail = "", bars, value, kind = "" }) {
  const head = make("th", "", make("div", "name", name), make("div", "dim", detail));
  head.scope = "row";
  head.title = `${name} ${detail}`; // both may be cut off
  const track = make("div", "track");
  track.ariaHidden = "true";
  for (const [bar, length] of Object.entries(bars)) {
    const element = make("div", bar);
    element.style.width = `${100 * length}%`;
    track.append(element);
  }
  return make("tr", `bar ${kind}`.trim(), head, make("td", "length", track), make("td", "value", value));
}
