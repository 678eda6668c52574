// The language that the page is set to. The server is told, so that what it says in a run is in this language too.
import { api } from "../../scripts/api.js";
import { app } from "../../scripts/app.js";
import { post } from "./page.js";
import { loadTexts } from "./texts.js";

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
