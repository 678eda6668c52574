// Reads and writes the answers that Repo Check-in and Clarify save as plain text, one per line. The lines below a line
// "for: <request>" are for that request, those above the first one for any. The server reads it too (checkin/catalog/given_answers.py).

export const MOST = 20; // requests whose answers, and whose models, are kept

/** A text as one line, with one space between words. @param {unknown} text */
export const oneLine = (text) => String(text).trim().replace(/\s+/g, " ");

/** The request that a line "for: <request>" names; undefined for another line. @param {string} line */
export const requestIn = (line) => /^for\s*:(.*)$/i.exec(oneLine(line))?.[1].trim();

/** The parts of a text, each with the lines for one request; null is any. @param {unknown} text */
export const byRequest = (text) => String(text ?? "").split(/^(?=\s*for\s*:)/im).map((part) => part.trim()).filter(Boolean).map((part) => {
  const lines = part.split(/\s*\n\s*/);
  const request = requestIn(lines[0]) ?? null;
  return { request, part, lines: request === null ? lines : lines.slice(1) };
});

/** The answers in a text, each with the request that it is for. @param {unknown} text @returns {Given[]} */
export const parseAnswers = (text) => byRequest(text).flatMap(({ request, lines }) => lines.map((line) => ({ request, words: oneLine(line) })));

/**
 * Whether an answer counts for a request, or for those that ask for the same models; every answer may where the request is not known.
 * @param {Pick<Given, "request">} one @param {string} [request] @param {string[]} [alike]
 */
export const countsFor = ({ request: to }, request, alike = []) =>
  request === undefined || to === null || [oneLine(request), ...alike].includes(to);

/** @param {Given[]} all */
function textOf(all) {
  const requests = new Set(all.map(({ request }) => request).reverse()); // the newest first
  requests.delete(null);
  return [null, ...[...requests].slice(0, MOST).reverse()].flatMap((request) => {
    const words = all.filter((one) => one.request === request).map((one) => one.words);
    return request === null || !words.length ? words : [`for: ${request}`, ...words];
  }).join("\n");
}

/**
 * Adds an answer, below those for other requests, of which the newest are kept. Those that were not understood are dropped. Where other
 * nodes need the text, it is `shared`: then those for any request stay so, else they become those for this one.
 * @param {unknown} text @param {string} asked the request @param {string} answer
 * @param {{shared?: boolean, unheard?: string[], alike?: string[]}} [more]
 */
export function addAnswer(text, asked, answer, { shared = false, unheard = [], alike } = {}) {
  const request = oneLine(asked);
  const counts = (/** @type {Given} */ one) => countsFor(one, request, alike);
  const all = parseAnswers(text).filter((one) => !(counts(one) && unheard.includes(one.words)))
    .map((one) => (counts(one) && (one.request !== null || !shared) ? { ...one, request } : one));
  return textOf([...all, { request, words: oneLine(answer) }]);
}

/** Removes the answer at `place`. @param {unknown} text @param {number} place */
export const removeAnswer = (text, place) => textOf(parseAnswers(text).filter((_, each) => each !== place));
