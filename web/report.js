// What a quantized UNet consists of: a bar for each group of layers, its bytes in fp16 and now, and what computes it.
import { barTable } from "./bars.js";
import { make } from "./page.js";

/** @typedef {{bytes_before: number, bytes_after: number}} Sizes */
/** @typedef {Sizes & {group: string, bits: number[], computed: string[], backends: string[]}} Group */
/** @typedef {Sizes & {groups: Group[], preset: string, device: string, precision: {kind: string, why: string}, seconds: number | null}} Report */

const SHOWN = 5; // groups, the largest first; the others are one click away
const MEGABYTE = 2 ** 20;

/** @param {number} bytes */
const megabytes = (bytes) => (bytes / MEGABYTE).toFixed(bytes < 10 * MEGABYTE ? 1 : 0);

/**
 * Bars, a line on what computes, and the rest behind a click.
 * @param {Report} report @param {string[]} [notes] sentences that the numbers need
 */
export function reportBars(report, notes = []) {
  const groups = [...report.groups].sort((a, b) => b.bytes_before - a.bytes_before);
  const rows = groups.map((group) => ({ name: group.group, detail: how(group), ...sizes(group, groups[0].bytes_before) }));
  const share = Math.round((100 * report.bytes_after) / report.bytes_before);
  const total = { name: `all layers: ${share} %`, className: "personalq-total", ...sizes(report, report.bytes_before) };
  const { kind, why } = report.precision;
  const line = make("div", "personalq-precision");
  const took = report.seconds == null ? "" : ` Quantized or loaded in ${report.seconds.toFixed(1)} s.`;
  line.append(make("span", "personalq-chip", report.preset), make("span", `personalq-chip personalq-${kind}`, kind));
  line.append(` on ${report.device}: ${why}.${took}`);
  const more = make("details", "personalq-more");
  more.append(make("summary", "", "More"));
  if (rows.length > SHOWN) more.append(barTable("Smaller groups", rows.slice(SHOWN)));
  more.append(...notes.map((note) => make("p", "personalq-dim", note)));
  return [barTable("Size in fp16 → now", [total, ...rows.slice(0, SHOWN)]), line, more];
}

/** @param {Group} group */
function how({ bits, computed, backends }) {
  const kinds = computed.filter((kind) => kind !== "float").join("/") || "float";
  return [`${bits.join("/")} bit`, kinds, ...backends.filter((backend) => backend !== kinds)].join(" · ");
}

/** @param {Sizes} sizes @param {number} largest */
function sizes({ bytes_before, bytes_after }, largest) {
  const value = `${megabytes(bytes_before)} → ${megabytes(bytes_after)} MB`;
  return { bars: { before: bytes_before / largest, after: bytes_after / largest }, value };
}
