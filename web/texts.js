// Our texts, from locales/<language>/main.json, in the language of the page. The server sends them, and is told that language, so that
// what it says in a run is in it too.
import { api } from "../../scripts/api.js";
import { app } from "../../scripts/app.js";
import { post } from "./page.js";

/** @type {Record<string, any>} in which "%s" stands for a name or a number; those of a setting are its name and its tooltip */
let texts = {};

/** Gets the texts of the page's language; one that this lacks is in English. */
export async function loadTexts() {
  const answer = await api.fetchApi("/i18n");
  const { en, [pageLanguage().slice(0, 2)]: here } = answer.ok ? await answer.json() : {}; // "zh" for "zh-TW"
  texts = {};
  for (const part of ["settings", "personalqPanel", "personalqTab"]) Object.assign(texts, en?.[part], here?.[part]);
}

/** One of our texts, with `values` in its places. @param {TextKey} key @param {...(string | number)} values @returns {string} */
export const say = (key, ...values) => values.reduce((/** @type {string} */ text, value) => text.replace("%s", () => String(value)), texts[key] ?? key);

/** The name and the tooltip of one of our settings. @param {string} id @returns {{name: string, tooltip: string}} */
export const settingTexts = (id) => texts[`PersonalQ_${id}`];

/** Our text for a name that the server uses, or that name. @param {string} name @param {string} [prefix] @returns {string} */
export const named = (name, prefix = "") => texts[prefix + name.replace(" ", "_")] ?? name;

let told = "";
let needed = false; // whether a node of ours is there, or was: other pages ask the server nothing

/** "de", "zh-TW" and so on: of the setting, else of the browser, which ComfyUI takes for its default. */
export const pageLanguage = () => String(app.extensionManager?.setting.get("Comfy.Locale") ?? "en");

/** Tells the server the page's language, unless it knows. */
function tell() {
  const [client_id, language] = [api.clientId, pageLanguage()];
  if (!needed || !client_id || told === client_id + language) return;
  told = client_id + language;
  post("/personalq/language", { client_id, language }).catch(() => (told = ""));
}

/** From now on, the server is told the page's language. */
export function tellLanguage() {
  needed = true;
  tell();
}

/** Gets the texts of the page's language now and when it changes, and tells the server. */
export async function followLanguage() {
  api.addEventListener("status", tell); // with the first one, the page has its client id
  api.addEventListener("reconnected", () => (told = "")); // the server may have been started again; a status follows
  app.ui.settings.addEventListener("Comfy.Locale.change", () => loadTexts().then(tell));
  await loadTexts();
}
