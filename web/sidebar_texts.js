// Texts of the tab in the language of the page, from locales/<language>/main.json; the server sends them when the tab opens.
import { api } from "../../scripts/api.js";
import { app } from "../../scripts/app.js";

/** @type {Partial<Record<TabText, string>>} */
let texts = {};

export async function loadTabTexts() {
  if (texts.search) return;
  const all = await (await api.fetchApi("/i18n")).json();
  texts = (all[String(app.extensionManager.setting.get("Comfy.Locale"))] ?? {}).personalqTab ?? all.en.personalqTab;
}

/** A text; the values stand where it has "%s". @param {TabText} key @param {...(string | number)} values */
export const say = (key, ...values) => values.reduce((/** @type {string} */ text, value) => text.replace("%s", () => String(value)), texts[key] ?? key);

/** The text for a name that the server uses, or that name. @param {string} name @param {string} [prefix] */
export const named = (name, prefix = "") => texts[/** @type {TabText} */ (prefix + name.replace(" ", "_"))] ?? name;
