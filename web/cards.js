// The cards of all models, from the server. A card is named by its id. Its texts come from files that strangers may have written.
import { api } from "../../scripts/api.js";
import { pageLanguage } from "./language.js";
import { framed, post } from "./page.js";
import { text } from "./texts.js";

/**
 * The server's answer to a request below /personalq; with `body` the request is a POST. Throws the server's message on an error.
 * @param {string} path @param {unknown} [body] @returns {Promise<any>}
 */
export async function ask(path, body) {
  const headers = { "Accept-Language": pageLanguage() };
  const url = `/personalq/${path}`;
  const answer = await (body === undefined ? api.fetchApi(url, { headers }) : post(url, body, headers));
  const said = await answer.json().catch(() => ({ error: text("server_answered", answer.status) }));
  if (!answer.ok) throw new Error(said.error);
  return said;
}

/** The message of an error. @param {unknown} error */
export const reason = (error) => (error instanceof Error ? error.message : String(error));

/** @param {string} id */
export const cardPath = (id) => `cards/${encodeURIComponent(id)}`;

/**
 * A picture of a model, loaded when it comes into view; small, or as `query` says: "?large=1", "?number=2".
 * @param {string} id @param {string} [classes] @param {string} [query] @param {"lazy" | "eager"} [loading]
 */
export const thumbnail = (id, classes, query = "", loading = "lazy") => framed(`/personalq/thumbnails/${encodeURIComponent(id)}${query}`, classes, loading);

/**
 * A pattern for these words as whole words: in upper or lower case, with or without backslashes, with spaces or underscores.
 * @param {string} words
 */
function whole(words) {
  const pieces = words.replace(/\\(?=[()])/g, "").match(/[\s_]+|./gu) ?? [];
  const written = pieces.map((piece) => {
    if (/[\s_]/.test(piece)) return "[\\s_]+";
    return (/[()]/.test(piece) ? "\\\\*" : "") + piece.replace(/[^\p{L}\p{N}]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
  });
  const letter = "[\\p{L}\\p{N}]";
  return new RegExp(`${words[0] === "<" ? "" : `(?<!${letter})`}${written.join("")}${words.endsWith(">") ? "" : `(?!${letter})`}`, "iu");
}

/**
 * Puts the words of a card into a request: in place of the words that were put there `before`, else in place of the card's
 * subject, else at the end. A card without a trigger puts its name only into an empty request.
 * @param {string} request @param {Pick<ModelCard, "words" | "triggered" | "subjects">} card @param {string} [before]
 */
export function withWords(request, { words, triggered, subjects }, before) {
  if (!triggered && request.trim()) return request;
  if (before && before !== words && whole(before).test(request)) return request.replace(whole(before), () => words);
  if (whole(words).test(request)) return request;
  for (const subject of [...subjects].sort((a, b) => b.length - a.length)) {
    if (whole(subject).test(request)) return request.replace(whole(subject), () => words);
  }
  return [request.trim(), words].filter(Boolean).join(" ");
}
