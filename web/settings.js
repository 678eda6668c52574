// Our part of ComfyUI's settings dialog. The values live on the server, which offers names: no path, no key.
import { app } from "../../scripts/app.js";
import { ask } from "./cards.js";
import { make } from "./page.js";

/** @typedef {{values: Record<string, any>, offered: Record<string, any[]>}} State */

/** @type {Record<string, string>} what a value is called, where its name does not say it */
const NAMES = {
  auto: "MiniLM, if it is installed",
  off: "none: words alone",
  offline: "offline: nothing is sent anywhere",
  0: "0: never ask, take the likeliest",
};

/** @type {Promise<State> | null} one question to the server for all that the dialog shows at once */
let asked = null;
function current() {
  if (!asked) {
    asked = ask("settings");
    setTimeout(() => (asked = null), 1000);
  }
  return asked;
}

/** @param {HTMLElement} box @param {string} name @param {unknown} value @param {(state: State) => void} show */
async function change(box, name, value, show) {
  try {
    asked = null;
    show(await ask("settings", { [name]: value }));
  } catch (error) {
    toast(error);
    show(await ask("settings"));
  }
  box.dispatchEvent(new Event("personalq-saved"));
}

/** @param {unknown} error */
const toast = (error) =>
  app.extensionManager.toast.add({ severity: "error", summary: "PersonalQ", detail: String(/** @type {Error} */ (error).message) });

/** A list to choose one from. @param {string} name */
const choice = (name) => (/** @type {string} */ label) => {
  const box = make("span", "personalq personalq-setting");
  const field = make("select", "");
  field.setAttribute("aria-label", label);
  box.append(field);
  /** @param {State} state */
  const show = ({ values, offered }) => {
    const options = offered[name].map((value) => new Option(NAMES[value] ?? String(value), JSON.stringify(value)));
    if (values[name] === null) options.unshift(new Option("as written in settings.yaml", "null"));
    field.replaceChildren(...options);
    field.value = JSON.stringify(values[name]);
  };
  field.addEventListener("change", () => change(box, name, JSON.parse(field.value), show));
  current().then(show, toast);
  return box;
};

/** The folders of models, each to be looked at or not. @param {string} label */
function folders(label) {
  const box = make("div", "personalq personalq-setting personalq-folders");
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", label);
  /** @param {State} state */
  const show = ({ values, offered }) => {
    box.replaceChildren(
      ...offered.leave_out.map((name) => {
        const row = make("label", name.includes("/") ? "personalq-below" : "");
        const field = make("input", "");
        field.type = "checkbox";
        field.value = name;
        field.checked = !values.leave_out.includes(name);
        field.addEventListener("change", () => {
          const left = [...box.querySelectorAll("input")].filter((one) => !one.checked).map((one) => one.value);
          change(box, "leave_out", left, show);
        });
        row.append(field, make("span", "", name.split("/").pop()));
        return row;
      }),
    );
  };
  current().then(show, toast);
  return box;
}

/** @param {string} id @param {string} name @param {string} tooltip @param {(label: string) => HTMLElement} type */
const setting = (id, name, tooltip, type) =>
  /** @type {any} an id of ours is none that the host's types know */ ({
    id: `PersonalQ.${id}`,
    category: ["PersonalQ", "Models", id],
    name,
    tooltip,
    type,
    defaultValue: null,
  });

/** For `registerExtension`: shown in this order, from the last. */
export const settings = [
  setting("Questions", "Questions in a row, at most", "Then the likeliest model is taken. Clarify's own setting goes first.", choice("questions")),
  setting("Prefer", "Hardware: speed or quality", "What weighs more when a model is stored in 8 or 4 bits for this machine.", choice("prefer")),
  setting(
    "Reasoner",
    "Language model",
    "Asked where rules do not decide, by each Repo Check-in whose reasoner is 'as in settings'. Its key stays on the server.",
    choice("reasoner"),
  ),
  setting("Embedder", "Ranking by meaning", "A sentence-transformers model that is on the server.", choice("embedder")),
  setting("Folders", "Folders of models", "Which of ComfyUI's folders are looked at for 'all models'.", folders),
];
