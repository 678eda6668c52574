// The cards of all models, from the server. A card is named by its id; its texts come from files of strangers.
import { api } from "../../scripts/api.js";
import { framed } from "./page.js";

/**
 * What the server answers under /personalq; with `body` it is asked to change something. Throws its refusal.
 * @param {string} path @param {unknown} [body] @returns {Promise<any>}
 */
export async function ask(path, body) {
  const change = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const answer = await api.fetchApi(`/personalq/${path}`, body === undefined ? {} : change);
  const said = await answer.json().catch(() => ({ error: `The server answered ${answer.status}.` }));
  if (!answer.ok) throw new Error(said.error);
  return said;
}

/** The sentence of a refusal. @param {unknown} error */
export const reason = (error) => (error instanceof Error ? error.message : String(error));

/** @param {string} id */
export const cardPath = (id) => `cards/${encodeURIComponent(id)}`;

/** A model's small picture, which comes when it is in view. @param {string} id @param {string} [classes] */
export const thumbnail = (id, classes) => framed(`/personalq/thumbnails/${encodeURIComponent(id)}`, classes, "lazy");

/**
 * A request with the words of a card in it: in the place of those that were put there `before`, else of the card's
 * subject, else at the end.
 * @param {string} request @param {Pick<ModelCard, "words" | "subjects">} card @param {string} [before]
 */
export function withWords(request, { words, subjects }, before) {
  if (before && before !== words && request.includes(before)) return request.replace(before, () => words);
  if (request.includes(words)) return request;
  for (const subject of [...subjects].sort((a, b) => b.length - a.length)) {
    const escaped = subject.replace(/[^\p{L}\p{N}\s]/gu, "\\$&");
    const named = new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, "iu");
    if (named.test(request)) return request.replace(named, () => words);
  }
  return [request.trim(), words].filter(Boolean).join(" ");
}
