// The text that the Clarify node keeps: "for: <request>", then one answer per line. Plain text, so that a person can edit it.

/** A text as one line, with one space between words. @param {unknown} text */
export const oneLine = (text) => String(text).trim().replace(/\s+/g, " ");

/** Splits a saved text into the request it was given for (null when it names none) and its answers. @param {unknown} text */
export function parseAnswers(text) {
  const lines = String(text ?? "").split("\n").map(oneLine).filter(Boolean);
  const named = /^for:\s*(.*)$/i.exec(lines[0] ?? "");
  return named ? { request: named[1], answers: lines.slice(1) } : { request: null, answers: lines };
}

/** Adds an answer. Those that were given for another request are dropped. @param {unknown} text @param {string} request @param {string} answer */
export function addAnswer(text, request, answer) {
  const saved = parseAnswers(text);
  const kept = saved.request === null || saved.request === oneLine(request) ? saved.answers : [];
  return [`for: ${oneLine(request)}`, ...kept, oneLine(answer)].join("\n");
}

/** Takes the answer at `place` back; the text is empty when none is left. @param {unknown} text @param {number} place */
export function removeAnswer(text, place) {
  const { request, answers } = parseAnswers(text);
  const left = answers.filter((_, each) => each !== place);
  return (left.length && request !== null ? [`for: ${request}`, ...left] : left).join("\n");
}
