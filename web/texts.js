// Texts of our panels in the language of the page: from locales/<language>/main.json, which the server sends to the page.
import { api } from "../../scripts/api.js";
import { app } from "../../scripts/app.js";

/** In English; "%s" stands for a name or a number. */
export const ENGLISH = {
  use: "Use %s",
  strength: "strength",
  strength_of: "Strength of %s",
  recommended: "%s is recommended for this LoRA alone. Empty: what is recommended here.",
  triggers_of: "Trigger words of %s",
  trigger: "A click puts this trigger word into the prompt, or leaves it out.",
  swap: "Swap",
  swap_one: "Swap %s for another model",
  instead_of: "Use instead of %s",
  not_here: "Not here",
  stands_for: "for “%s”",
  changed: "Changed: the next run uses this.",
  preview: "Preview",
  preview_means: "nothing is loaded yet",
  deciding: "Reading your models …",
  add: "Also named: add",
  add_one: "Add %s",
  compare: "Compare these",
  compare_title: "The same picture with each model, drawn with one seed. A click takes the model.",
  waiting: "waiting …",
  take: "Use %s",
  close: "Close",
  not_in_run: "This node is not part of a run: connect it to a picture.",
  no_picture: "This run showed no picture.",
  reading: "Reading your models: %s",
};
/** @type {Partial<typeof ENGLISH>} */
let own = {};

/** Gets the texts of the page's language, if it is not English. */
export async function loadTexts() {
  const language = String(app.extensionManager.setting.get("Comfy.Locale") ?? "en");
  if (language === "en") return;
  const answer = await api.fetchApi("/i18n");
  own = (answer.ok && (await answer.json())[language]?.personalqPanel) || {};
}

/** A text, with `value` in its place. @param {keyof typeof ENGLISH} key @param {string | number} [value] */
export const text = (key, value = "") => (own[key] ?? ENGLISH[key]).replace("%s", () => String(value));
