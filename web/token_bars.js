// What TAQ Sensitivity measured: how far the picture moves when one token is quantized, a bar for each.
import { barTable } from "./bars.js";

/** @typedef {{label: string, rows: string, error: number, trigger: boolean}} Token */

const SHOWN = 24; // tokens; of a longer prompt those that are felt most

/** A measured error with two digits. @param {number} error */
const figure = (error) => (error >= 0.001 || error === 0 ? String(Number(error.toPrecision(2))) : error.toExponential(1));

/** @param {Token[]} tokens in the order of the prompt */
export function tokenBars(tokens) {
  const felt = [...tokens].sort((a, b) => b.error - a.error);
  const least = felt[Math.min(SHOWN, felt.length) - 1].error;
  const shown = tokens.filter((token) => token.error >= least).slice(0, SHOWN);
  const largest = felt[0].error || 1;
  const left = tokens.length - shown.length;
  const caption = `Error of the picture when only this token is quantized${left ? `; ${left} that are felt less are left out` : ""}`;
  return barTable(caption, shown.map((token) => row(token, token.error / largest)));
}

/** @param {Token} token @param {number} length */
function row({ label, rows, error, trigger }, length) {
  const detail = trigger ? `trigger · row ${rows}` : `row ${rows}`;
  return { name: label, detail, bars: { [trigger ? "marked" : "after"]: length }, value: figure(error) };
}
