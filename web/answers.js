// Reads and writes the answers that Clarify saves as plain text, one per line. A first line "for: <request>" ties them to one request.

/** A text as one line, with one space between words. @param {unknown} text */
export const oneLine = (text) => String(text).trim().replace(/\s+/g, " ");

/** @param {unknown} text */
const linesOf = (text) => String(text ?? "").split("\n").map(oneLine).filter(Boolean);

/** The request that a line "for: <request>" names; null for another line. @param {string | undefined} line */
const requestOf = (line) => /^for\s*:(.*)$/i.exec(line ?? "")?.[1].trim() ?? null;

/** Splits a saved text into the request it was given for (null when it names none) and its answers. @param {unknown} text */
export function parseAnswers(text) {
  const lines = linesOf(text);
  const request = requestOf(lines[0]);
  return { request, answers: request === null ? lines : lines.slice(1) };
}

/**
 * Adds an answer. Answers that were given for another request are dropped.
 * @param {unknown} text @param {string} request @param {string} answer
 */
export function addAnswer(text, request, answer) {
  const saved = parseAnswers(text);
  const kept = saved.request === null || saved.request === oneLine(request) ? saved.answers : [];
  return [`for: ${oneLine(request)}`, ...kept, oneLine(answer)].join("\n");
}

/** Removes the answer at `place`; the text is empty when none is left. @param {unknown} text @param {number} place */
export function removeAnswer(text, place) {
  const { request, answers } = parseAnswers(text);
  const left = answers.filter((_, each) => each !== place);
  return (left.length && request !== null ? [`for: ${request}`, ...left] : left).join("\n");
}
