// Dates and sizes as the page's language writes them. The server sends ISO 8601 and bytes.
import { pageLanguage } from "./texts.js";

/** The day of a moment, or of a day such as 2026-05-31, as the server's sentences write it: "31 May 2026"; "" for none. @param {string | null | undefined} iso */
export const day = (iso) => written(iso?.includes("T") ? iso : `${iso}T00:00`, pageLanguage().replace(/^en$/, "en-GB"), { dateStyle: "long" });

/** The day as a field for days needs it, in the browser's time zone: 2026-05-31. @param {string | null | undefined} iso */
export const fieldDay = (iso) => written(iso ?? "", "sv"); // Sweden writes days so

/** @param {string} iso @param {Parameters<Date["toLocaleDateString"]>} form */
function written(iso, ...form) {
  const moment = new Date(iso);
  return isNaN(+moment) ? "" : moment.toLocaleDateString(...form);
}

/** The size of a file. @param {number} bytes */
export function fileSize(bytes) {
  const [unit, of] = /** @type {[string, number]} */ (bytes < 1e6 ? ["kilobyte", 1e3] : bytes < 1e9 ? ["megabyte", 1e6] : ["gigabyte", 1e9]);
  return (bytes / of).toLocaleString(pageLanguage(), { style: "unit", unit, maximumFractionDigits: 1 });
}
