// Stands for ComfyUI's scripts/api.js. It has our texts in English; all other calls go to the server that a test starts: see `serve` in ../page.js.
import { readFileSync } from "node:fs";

const english = new URL("../../../locales/en/main.json", import.meta.url);
const i18n = () => Response.json({ en: JSON.parse(readFileSync(english, "utf-8")) });

export const api = Object.assign(new EventTarget(), {
  server: "",
  apiURL: (route) => `/api${route}`,
  fetchApi: async (route, options) => (route === "/i18n" ? i18n() : fetch(`${api.server}/api${route}`, options)),
});
