// Texts of our panels: from locales/<language>/main.json, in the language of the page. The server sends them to the page.
import { api } from "../../scripts/api.js";
import { app } from "../../scripts/app.js";

/** @type {Partial<PanelTexts>} in which "%s" stands for a name or a number */
let own = {};

/** Gets the texts of the page's language; one that this lacks is in English. */
export async function loadTexts() {
  const answer = await api.fetchApi("/i18n");
  const all = answer.ok ? await answer.json() : {};
  const language = String(app.extensionManager.setting.get("Comfy.Locale") ?? "en");
  own = { ...all.en?.personalqPanel, ...all[language]?.personalqPanel };
}

/** A text, with `values` in its places. @param {keyof PanelTexts} key @param {...(string | number)} values */
export const text = (key, ...values) =>
  values.reduce((/** @type {string} */ said, value) => said.replace("%s", () => String(value)), own[key] ?? key);
