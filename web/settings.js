// Our settings in ComfyUI's dialog. The server stores them and sends only names: no path, no key.
import { app } from "../../scripts/app.js";
import { ask, reason } from "./cards.js";
import { button, make, outermost } from "./page.js";
import { text } from "./texts.js";

/** What a value is called: of the setting's values that need words. @type {Record<string, Parameters<typeof text>[0]>} */
const NAMES = { auto: "set_auto", off: "set_off", offline: "set_offline", 0: "set_never", balanced: "set_balanced", speed: "set_speed", quality: "set_quality" };

/** @param {unknown} value */
const nameOf = (value) => (NAMES[String(value)] ? text(NAMES[String(value)]) : String(value));

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
    const options = offered[name].map((value) => new Option(nameOf(value), JSON.stringify(value)));
    if (values[name] === null) options.unshift(new Option(text("set_as_written"), "null"));
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
      field.append(new Option(text("set_likeliest"), ""), ...models.map((/** @type {string} */ one) => new Option(one)));
      if (written === null) field.prepend(new Option(text("set_as_written"), "?"));
      field.value = written === null ? "?" : (written ?? "");
      field.addEventListener("change", () => field.value !== "?" && change(show, "bases", { [family]: field.value }));
      return make("label", "", make("span", "", name), field);
    });
    box.replaceChildren(...(rows.length ? rows : [make("span", "", text("set_no_base"))]));
  };
  ask("settings").then(show, complain);
  return box;
}

/** Whether the server has the model that ranks by meaning; if not, a button that gets it. @param {string} label */
function weights(label) {
  const said = Object.assign(make("span"), { role: "status" });
  const bar = Object.assign(make("progress"), { ariaLabel: label });
  const get = button("get", text("get_weights"), () => {
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
    const texts = { here: text("weights_here"), missing: "", fetching: text("of_megabytes", ...megabytes), failed: why };
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
