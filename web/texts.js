// Texts of our panels in the language of the page: from locales/<language>/main.json, which the server sends to the page.
import { api } from "../../scripts/api.js";
import { app } from "../../scripts/app.js";

/** In English; "%s" stands for a name or a number. */
export const ENGLISH = {
  close: "Close",
  server_answered: "The server answered %s.",
  undo: "Undo",
  name_learnt: "'%s' now means %s.",
  name_unknown: "No model is called '%s' yet.",
  name_learn: "Call this one '%s'",
  name_forget_title: "Removes '%s' from the card of %s.",
  name_learn_title: "Writes '%s' into %s.personalq.yaml, so that requests find the model by it.",
  token_errors: "Error of the picture when only this token is quantized",
  tokens_left: "%s tokens that change it less are not shown",
  trigger_token: "trigger",
  position: "position %s",
  all_layers: "all layers: %s %",
  quantized_in: "Quantized or loaded in %s s.",
  on_device: "on %s",
  more: "More",
  smaller_groups: "Smaller groups",
  size_now: "Size in fp16 → now",
  set_auto: "MiniLM, if it is on the server",
  set_off: "off: compare words only",
  set_offline: "offline: nothing is sent anywhere",
  set_never: "0: never ask, take the most likely model",
  set_balanced: "balanced",
  set_speed: "speed",
  set_quality: "quality",
  set_as_written: "as written in settings.yaml",
  set_likeliest: "the likeliest one",
  set_no_base: "There is no checkpoint or diffusion model here.",
  get_weights: "Get it: 90 MB from huggingface.co",
  weights_here: "It is on the server.",
  of_megabytes: "%s of %s MB",
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
  reading: "Reading your models: %s",
};
/** @type {Partial<Record<keyof typeof ENGLISH, string>>} */
let own = {};

/** Gets the texts of the page's language, if it is not English. */
export async function loadTexts() {
  const language = String(app.extensionManager.setting.get("Comfy.Locale") ?? "en");
  const answer = language !== "en" && (await api.fetchApi("/i18n"));
  own = (answer && answer.ok && (await answer.json())[language]?.personalqPanel) || {};
}

/** A text, with `values` in its places. @param {keyof typeof ENGLISH} key @param {...(string | number)} values */
export const text = (key, ...values) =>
  values.reduce((/** @type {string} */ said, value) => said.replace("%s", () => String(value)), own[key] ?? ENGLISH[key]);
