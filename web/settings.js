// Our settings in ComfyUI's dialog. The server stores them and sends only names: no path, no key.
import { app } from "../../scripts/app.js";
import { ask, reason } from "./cards.js";
import { button, make, outermost } from "./page.js";

/** @type {Record<string, string>} */
const NAMES = {
  auto: "MiniLM, if it is on the server",
  off: "off: compare words only",
  offline: "offline: nothing is sent anywhere",
  0: "0: never ask, take the most likely model",
};

/** @param {unknown} error */
const complain = (error) => app.extensionManager.toast.add({ severity: "error", summary: "PersonalQ", detail: reason(error) });

/** @param {ShowSettings} show @param {string} name @param {unknown} value */
const change = (show, name, value) =>
  ask("settings", { [name]: value }).then(show, (error) => {
    complain(error);
    ask("settings").then(show); // shows the values that the server has
  });

/** A menu with the values of one setting. @param {string} name @returns {(label: string) => HTMLElement} */
const choice = (name) => (label) => {
  const field = make("select");
  field.ariaLabel = label;
  const box = outermost("setting", field);
  /** @type {ShowSettings} */
  const show = ({ values, offered }) => {
    const options = offered[name].map((value) => new Option(NAMES[value] ?? String(value), JSON.stringify(value)));
    if (values[name] === null) options.unshift(new Option("as written in settings.yaml", "null"));
    field.replaceChildren(...options);
    field.value = JSON.stringify(values[name]);
  };
  field.addEventListener("change", () => change(show, name, JSON.parse(field.value)));
  ask("settings").then(show, complain);
  return box;
};

/** The folders of models, each with a check box: whether it is searched. @param {string} label */
function folders(label) {
  const box = outermost("setting folders");
  Object.assign(box, { role: "group", ariaLabel: label });
  /** @type {ShowSettings} */
  const show = ({ values, offered }) => {
    const rows = offered.leave_out.map((value) => {
      const field = Object.assign(make("input"), { type: "checkbox", value, checked: !values.leave_out.includes(value) });
      return make("label", value.includes("/") ? "below" : "", field, make("span", "", value.split("/").pop()));
    });
    box.replaceChildren(...rows);
  };
  box.addEventListener("change", () => {
    const left = [...box.querySelectorAll("input")].filter((one) => !one.checked);
    change(show, "leave_out", left.map((one) => one.value));
  });
  ask("settings").then(show, complain);
  return box;
}

/** For each family of base models, the model that its LoRAs are loaded on. @param {string} label */
function bases(label) {
  const box = outermost("setting bases");
  Object.assign(box, { role: "group", ariaLabel: label });
  /** @type {ShowSettings} */
  const show = ({ values, offered }) => {
    const rows = offered.bases.map(({ family, name, models }) => {
      const field = Object.assign(make("select"), { ariaLabel: name });
      const written = values.bases[family];
      field.append(new Option("the likeliest one", ""), ...models.map((/** @type {string} */ one) => new Option(one)));
      if (written === null) field.prepend(new Option("as written in settings.yaml", "?"));
      field.value = written === null ? "?" : (written ?? "");
      field.addEventListener("change", () => field.value !== "?" && change(show, "bases", { [family]: field.value }));
      return make("label", "", make("span", "", name), field);
    });
    box.replaceChildren(...(rows.length ? rows : [make("span", "", "There is no checkpoint or diffusion model here.")]));
  };
  ask("settings").then(show, complain);
  return box;
}

/** Whether the server has the model that ranks by meaning; if not, a button that gets it. @param {string} label */
function weights(label) {
  const said = Object.assign(make("span"), { role: "status" });
  const bar = Object.assign(make("progress"), { ariaLabel: label });
  const get = button("get", "Get it: 90 MB from huggingface.co", () => {
    get.disabled = true;
    follow({});
  });
  const box = outermost("setting weights", get, bar, said);
  /** @param {WeightsState} state */
  const show = ({ step, done, total, why }) => {
    get.hidden = step === "here" || step === "fetching";
    get.disabled = false;
    bar.hidden = step !== "fetching";
    Object.assign(bar, { max: total, value: done });
    const megabytes = [done, total].map((bytes) => Math.round(bytes / 1e6));
    const texts = { here: "It is on the server.", missing: "", fetching: `${megabytes[0]} of ${megabytes[1]} MB`, failed: why };
    said.textContent = texts[step];
    if (step === "fetching") setTimeout(() => box.isConnected && follow(), 500);
  };
  /** @param {unknown} [body] with one, the download begins */
  const follow = (body) =>
    ask("embedder", body).then(show, (error) => show({ step: "failed", done: 0, total: 0, why: reason(error) }));
  [get.hidden, bar.hidden] = [true, true];
  follow();
  return box;
}

/** @param {string} id @param {string} name @param {string} tooltip @param {(label: string) => HTMLElement} type
 * @returns {any} ComfyUI's types know only its own ids */
const setting = (id, name, tooltip, type) => ({
  id: `PersonalQ.${id}`,
  category: ["PersonalQ", "Models", id],
  name,
  tooltip,
  type,
  defaultValue: null,
});

/** For `registerExtension`; the dialog shows the last one first. */
export const settings = [
  setting("Questions", "Questions in a row, at most", "After that many questions, the most likely model is taken.", choice("questions")),
  setting("Prefer", "Hardware: speed or quality", "How many bits a model is stored in.", choice("prefer")),
  setting(
    "Reasoner",
    "Language model",
    "Asked when it is not clear which model is meant, if the node's reasoner is 'as in settings'. Keys stay on the server.",
    choice("reasoner"),
  ),
  setting("Weights", "Model that ranks by meaning", "Fetched only when you press the button. It runs on the server and sends nothing.", weights),
  setting("Embedder", "Ranking by meaning", "A sentence-transformers model on the server.", choice("embedder")),
  setting("Bases", "Base of LoRAs", "The checkpoint or diffusion model that LoRAs of each family are loaded on.", bases),
  setting("Folders", "Folders of models", "Which folders are searched for 'all models'.", folders),
];
