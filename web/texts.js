// Our texts: from locales/<language>/main.json, in the language of the page. The server sends them to the page.
import { api } from "../../scripts/api.js";
import { app } from "../../scripts/app.js";

/** @type {{panel: Partial<PanelTexts>, tab: Partial<Record<TabText, string>>}} in which "%s" stands for a name or a number */
const own = { panel: {}, tab: {} };

/** Gets the texts of the page's language; one that this lacks is in English. */
export async function loadTexts() {
  const answer = await api.fetchApi("/i18n");
  const { en, [String(app.extensionManager.setting.get("Comfy.Locale"))]: here } = answer.ok ? await answer.json() : {};
  own.panel = { ...en?.personalqPanel, ...here?.personalqPanel };
  own.tab = { ...en?.personalqTab, ...here?.personalqTab };
}

/** @param {string} said @param {(string | number)[]} values */
const fill = (said, values) => values.reduce((/** @type {string} */ text, value) => text.replace("%s", () => String(value)), said);

/** A text of the panels, with `values` in its places. @param {keyof PanelTexts} key @param {...(string | number)} values */
export const text = (key, ...values) => fill(own.panel[key] ?? key, values);

/** A text of the tab, with `values` in its places. @param {TabText} key @param {...(string | number)} values */
export const say = (key, ...values) => fill(own.tab[key] ?? key, values);

/** The tab's text for a name that the server uses, or that name. @param {string} name @param {string} [prefix] */
export const named = (name, prefix = "") => own.tab[/** @type {TabText} */ (prefix + name.replace(" ", "_"))] ?? name;
