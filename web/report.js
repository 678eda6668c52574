// What a quantized UNet consists of: a bar for each group of layers, its bytes in fp16 and now.
import { make } from "./page.js";

const SHOWN = 6; // groups, the largest first
const megabytes = (bytes) => `${(bytes / 2 ** 20).toFixed(bytes < 10 * 2 ** 20 ? 1 : 0)} MB`;

/** Bars and a line on what computes, from the report of TAQ Quantize Model. */
export function reportBars(report) {
  const groups = [...report.groups].sort((a, b) => b.bytes_before - a.bytes_before).slice(0, SHOWN);
  const largest = groups[0].bytes_before;
  const bars = make("div", "personalq-bars");
  bars.setAttribute("role", "list");
  for (const group of groups) bars.append(bar(group, largest));
  const { kind, why } = report.precision;
  const seconds = report.seconds == null ? "" : ` ${report.seconds.toFixed(1)} s.`;
  return [bars, make("div", "personalq-dim", `${kind} on ${report.device}: ${why}.${seconds}`)];
}

function bar(group, largest) {
  const bits = `${group.bits.join("/")} bit`;
  const computed = group.computed.filter((kind) => kind !== "float").join("/") || "float";
  const sizes = `${megabytes(group.bytes_before)} → ${megabytes(group.bytes_after)}`;
  const row = make("div", "personalq-bar");
  row.setAttribute("role", "listitem");
  row.title = `${group.group}: ${sizes}, ${bits}, ${computed}, ${group.backends.join(", ")}`;
  const track = make("div", "personalq-track");
  const before = make("div", "personalq-before");
  const after = make("div", "personalq-after");
  before.style.width = `${(100 * group.bytes_before) / largest}%`;
  after.style.width = `${(100 * group.bytes_after) / largest}%`;
  track.append(before, after);
  row.append(make("div", "personalq-name", group.group), track, make("div", "personalq-dim", sizes));
  return row;
}
