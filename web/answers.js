// The text that the Clarify node keeps: "for: <request>", then one answer per line. Plain text, so that a person can edit it.

const oneLine = (text) => String(text).trim().replace(/\s+/g, " ");

/** Splits a saved text into the request it was given for (null when it names none) and its answers. */
export function parseAnswers(text) {
  const lines = String(text ?? "").split("\n").map(oneLine).filter(Boolean);
  const named = /^for:\s*(.*)$/i.exec(lines[0] ?? "");
  return named ? { request: named[1], answers: lines.slice(1) } : { request: null, answers: lines };
}

/** Adds one answer. Answers that were given for another request are dropped: they would not fit this one. */
export function addAnswer(text, request, answer) {
  const saved = parseAnswers(text);
  const kept = saved.request === null || saved.request === oneLine(request) ? saved.answers : [];
  return [`for: ${oneLine(request)}`, ...kept, oneLine(answer)].join("\n");
}
