// The cards of all models, from the server. A card is named by its id. Its texts come from files that strangers may have written.
import { api } from "../../scripts/api.js";
import { framed, post } from "./page.js";
import { pageLanguage, say } from "./texts.js";

/**
 * The server's answer to a request below /personalq; with `body` the request is a POST. Throws the server's message on an error.
 * @param {string} path @param {unknown} [body] @returns {Promise<any>}
 */
export async function ask(path, body) {
  const headers = { "Accept-Language": pageLanguage() };
  const url = `/personalq/${path}`;
  const answer = await (body === undefined ? api.fetchApi(url, { headers }) : post(url, body, headers));
  const said = await answer.json().catch(() => ({ error: say("server_answered", answer.status) }));
  if (!answer.ok) throw new Error(said.error);
  return said;
}

/** @param {string} id */
export const cardPath = (id) => `cards/${encodeURIComponent(id)}`;

/** Where the server has the card of a model. @param {string} line that names it in `chosen` */
export const linePath = (line) => `card?${new URLSearchParams({ line })}`;

/**
 * A picture of a model, loaded when it comes into view; small, or as `query` says: "?large=1", "?number=2".
 * @param {string} id @param {string} [query] @param {string} [classes]
 */
export const thumbnail = (id, query = "", classes) => framed(`/personalq/thumbnails/${encodeURIComponent(id)}${query}`, classes);
