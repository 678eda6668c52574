// What TAQ Sensitivity measured: a bar for each token, how much the picture changes when only that token is quantized.
import { barTable } from "./report.js";
import { say } from "./texts.js";

const SHOWN = 24; // tokens; of a longer prompt, those that change the picture most

/** The error with two significant digits. @param {number} error */
const figure = (error) => (error >= 0.001 || !error ? String(Number(error.toPrecision(2))) : error.toExponential(1));

/** @param {Token[]} tokens in the order of the prompt */
export function tokenBars(tokens) {
  const most = [...tokens].sort((a, b) => b.error - a.error).slice(0, SHOWN);
  const largest = most[0].error || 1;
  const left = tokens.length - most.length;
  const caption = say("token_errors") + (left ? `; ${say("tokens_left", left)}` : "");
  return barTable(caption, tokens.filter((token) => most.includes(token)).map(({ label, rows, error, trigger }) => ({
    name: label,
    detail: (trigger ? `${say("trigger_token")} · ` : "") + say("position", rows),
    bars: { [trigger ? "marked" : "after"]: error / largest },
    value: figure(error),
  })));
}
