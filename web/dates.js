// Dates and sizes as the page's language writes them. The server sends its own days, and bytes.
import { pageLanguage } from "./texts.js";

/** A day such as 2026-05-31 as the server's sentences write it: "31 May 2026"; "" for none. @param {string | null | undefined} iso */
export function day(iso) {
  const start = new Date(`${iso}T00:00`);
  return isNaN(+start) ? "" : start.toLocaleDateString(pageLanguage().replace(/^en$/, "en-GB"), { dateStyle: "long" });
}

/** The size of a file. @param {number} bytes */
export function fileSize(bytes) {
  const [unit, of] = /** @type {[string, number]} */ (bytes < 1e6 ? ["kilobyte", 1e3] : bytes < 1e9 ? ["megabyte", 1e6] : ["gigabyte", 1e9]);
  return (bytes / of).toLocaleString(pageLanguage(), { style: "unit", unit, maximumFractionDigits: 1 });
}
