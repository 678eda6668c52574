// What a quantized UNet consists of: a bar for each group of layers, its bytes in fp16 and now, and what computes it.
import { barTable } from "./bars.js";
import { make } from "./page.js";

/**
 * @typedef {{group: string, bytes_before: number, bytes_after: number, bits: number[], computed: string[], backends: string[]}} Group
 * @typedef {object} Report as the server's report says it
 * @property {Group[]} groups
 * @property {string} preset
 * @property {string} device
 * @property {{kind: string, why: string}} precision
 * @property {number | null} seconds
 * @property {number} bytes_before
 * @property {number} bytes_after
 */

const SHOWN = 5; // groups, the largest first; the others are one click away
const MEGABYTE = 2 ** 20;

/** @param {number} bytes */
const megabytes = (bytes) => (bytes / MEGABYTE).toFixed(bytes < 10 * MEGABYTE ? 1 : 0);
/** @param {{bytes_before: number, bytes_after: number}} sizes */
const fromTo = ({ bytes_before, bytes_after }) => `${megabytes(bytes_before)} → ${megabytes(bytes_after)} MB`;

/**
 * Bars, a line on what computes, and the rest behind a click.
 * @param {Report} report @param {string[]} [notes] sentences that the numbers need
 */
export function reportBars(report, notes = []) {
  const groups = [...report.groups].sort((a, b) => b.bytes_before - a.bytes_before);
  const largest = groups[0].bytes_before;
  const rows = groups.map((group) => row(group, largest));
  const share = `${Math.round((100 * report.bytes_after) / report.bytes_before)} %`;
  const total = { name: `all layers: ${share}`, bars: lengths(report, report.bytes_before), value: fromTo(report), className: "personalq-total" };
  const rest = rows.slice(SHOWN);
  /** @type {HTMLElement[]} */
  const parts = [barTable("Size in fp16 → now", [total, ...rows.slice(0, SHOWN)]), precision(report)];
  if (rest.length || notes.length) parts.push(more(rest, notes));
  return parts;
}

/** What of a report is shown, to be saved with the workflow. @param {Report} report @returns {Report} */
export function smallReport({ groups, preset, device, precision: { kind, why }, seconds, bytes_before, bytes_after }) {
  const small = groups.map(({ group, bytes_before, bytes_after, bits, computed, backends }) => ({ group, bytes_before, bytes_after, bits, computed, backends }));
  return { groups: small, preset, device, precision: { kind, why }, seconds, bytes_before, bytes_after };
}

/** @param {Group} group @param {number} largest */
function row(group, largest) {
  const computed = group.computed.filter((kind) => kind !== "float").join("/") || "float";
  const how = [`${group.bits.join("/")} bit`, computed, ...group.backends.filter((backend) => backend !== computed)];
  return { name: group.group, detail: how.join(" · "), bars: lengths(group, largest), value: fromTo(group) };
}

/** @param {{bytes_before: number, bytes_after: number}} sizes @param {number} largest */
function lengths({ bytes_before, bytes_after }, largest) {
  return { before: bytes_before / largest, after: bytes_after / largest };
}

/** @param {Report} report */
function precision({ precision: { kind, why }, preset, device, seconds }) {
  const line = make("div", "personalq-precision");
  const took = seconds == null ? "" : ` Quantized or loaded in ${seconds.toFixed(1)} s.`;
  line.append(make("span", "personalq-chip", preset), make("span", `personalq-chip personalq-${kind}`, kind), ` on ${device}: ${why}.${took}`);
  return line;
}

/** @param {import("./bars.js").Row[]} rows @param {string[]} notes */
function more(rows, notes) {
  const details = make("details", "personalq-more");
  details.append(make("summary", "", "More"));
  if (rows.length) details.append(barTable("Smaller groups", rows));
  for (const note of notes) details.append(make("p", "personalq-dim", note));
  return details;
}
