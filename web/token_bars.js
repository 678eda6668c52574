// What TAQ Sensitivity measured: how far the picture moves when one token is quantized, a bar for each.
import { barTable } from "./bars.js";

const SHOWN = 24; // tokens; of a longer prompt those that are felt most

/** Two digits. @param {number} error */
const figure = (error) => (error >= 0.001 || !error ? String(Number(error.toPrecision(2))) : error.toExponential(1));

/** @param {Token[]} tokens in the order of the prompt */
export function tokenBars(tokens) {
  const felt = [...tokens].sort((a, b) => b.error - a.error).slice(0, SHOWN);
  const largest = felt[0].error || 1;
  const left = tokens.length - felt.length;
  const caption = `Error of the picture when only this token is quantized${left ? `; ${left} that are felt less are left out` : ""}`;
  return barTable(caption, tokens.filter((token) => felt.includes(token)).map(({ label, rows, error, trigger }) => ({
    name: label,
    detail: `${trigger ? "trigger · " : ""}row ${rows}`,
    bars: { [trigger ? "marked" : "after"]: error / largest },
    value: figure(error),
  })));
}
