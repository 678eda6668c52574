// The size report of a quantized UNet: a bar for each group of layers with its bytes in fp16 and now, and what computes it.
import { fileSize } from "./dates.js";
import { dim, make } from "./page.js";
import { say } from "./texts.js";

const SHOWN = 5; // groups, the largest first; a click on More shows the others

/**
 * The bars, a line that says what computes, and the details to unfold.
 * @param {SizeReport} report @param {string[]} [notes] that explain the numbers
 */
export function reportBars(report, notes = []) {
  const groups = [...report.groups].sort((a, b) => b.bytes_before - a.bytes_before);
  const rows = groups.map((group) => ({ name: group.group, detail: how(group), ...sizes(group, groups[0].bytes_before) }));
  const share = Math.round((100 * report.bytes_after) / report.bytes_before);
  const total = { name: say("all_layers", share), kind: "total", ...sizes(report, report.bytes_before) };
  const { kind, why } = report.precision;
  const took = report.seconds == null ? "" : ` ${say("quantized_in", report.seconds.toFixed(1))}`;
  const said = ` ${say("on_device", report.device)}: ${why}.${took}`;
  const line = make("div", "precision", make("span", "chip", report.preset), make("span", `chip ${kind}`, kind), said);
  const more = make("details", "more", make("summary", "", say("more")));
  if (rows.length > SHOWN) more.append(barTable(say("smaller_groups"), rows.slice(SHOWN)));
  more.append(...notes.map((note) => make("p", "dim", note)));
  return [barTable(say("size_now"), [total, ...rows.slice(0, SHOWN)]), line, more];
}

/** @param {LayerGroup} group */
function how({ bits, computed, backends }) {
  const kinds = computed.filter((kind) => kind !== "float").join("/") || "float";
  return [`${bits.join("/")} bit`, kinds, ...backends.filter((backend) => backend !== kinds)].join(" · ");
}

/** @param {Sizes} sizes @param {number} largest */
function sizes({ bytes_before, bytes_after }, largest) {
  return { bars: { before: bytes_before / largest, after: bytes_after / largest }, value: `${fileSize(bytes_before)} → ${fileSize(bytes_after)}` };
}

/** A table with a bar in each row; it repeats the row's figure, so it is hidden from screen readers. @param {string} caption @param {BarRow[]} rows */
export const barTable = (caption, rows) => make("table", "bars", make("caption", "dim", caption), ...rows.map(tableRow));

/** @param {BarRow} row */
function tableRow({ name, detail = "", bars, value, kind = "" }) {
  const title = `${name} ${detail}`; // both may be cut off
  const head = make("th", "", { scope: "row", title }, make("div", "name", name), dim(detail));
  const lengths = Object.entries(bars).map(([bar, length]) => make("div", bar, { style: `width: ${100 * length}%` }));
  const track = make("div", "track", { ariaHidden: "true" }, ...lengths);
  return make("tr", `bar ${kind}`, head, make("td", "length", track), make("td", "value", value));
}
