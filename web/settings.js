// Our settings in ComfyUI's dialog. The server stores them and sends only names: no path, no key.
import { ask } from "./cards.js";
import { button, complain, make, outermost, reason, status } from "./page.js";
import { named, say, settingTexts } from "./texts.js";

/**
 * A kind of setting: a box with the fields that `fieldsOf` makes of the server's settings. What a field is changed to goes to the
 * server, and the box shows what the server then has; a field that had the focus keeps it.
 * @param {string} name @param {(state: SettingsState, change: (value: unknown) => unknown, label: string) => HTMLElement[]} fieldsOf
 * @returns {(label: string) => HTMLElement}
 */
const kept = (name, fieldsOf) => (label) => {
  const box = outermost(`setting ${name}`, { role: "group", ariaLabel: label });
  const fields = () => [...box.querySelectorAll(":is(select, input)")];
  /** @param {SettingsState} state */
  const show = (state) => {
    const focused = fields().indexOf(/** @type {Element} */ (document.activeElement));
    box.replaceChildren(...fieldsOf(state, change, label));
    /** @type {HTMLElement | undefined} */ (fields()[focused])?.focus();
  };
  const load = () => ask("settings").then(show, complain);
  const change = (/** @type {unknown} */ value) =>
    ask("settings", { [name]: value }).then(show, (error) => {
      complain(error);
      load();
    });
  load();
  return box;
};

/**
 * A menu of values with their names; null stands for a value that can only be written into the file.
 * @param {string} ariaLabel @param {[unknown, string][]} values @param {unknown} now @param {(value: any) => unknown} change
 */
function menu(ariaLabel, values, now, change) {
  const written = now === null ? [new Option(say("set_as_written"), "null")] : [];
  const onchange = () => void (field.value !== "null" && change(JSON.parse(field.value)));
  const field = make("select", "", { ariaLabel, onchange }, ...written, ...values.map(([value, name]) => new Option(name, JSON.stringify(value))));
  field.value = JSON.stringify(now);
  return field;
}

/** A menu with the values of one setting. @param {string} name */
const choice = (name) =>
  kept(name, ({ values, offered }, change, label) => [menu(label, offered[name].map((one) => [one, named(String(one), "set_")]), values[name], change)]);

/** The folders of models, each with a check box: whether it is searched. */
const folders = kept("leave_out", ({ values: { leave_out: left }, offered }, change) =>
  offered.leave_out.map((value) => {
    // `left` stays up to date until the server has answered.
    const onchange = () => change((left = field.checked ? left.filter((/** @type {string} */ one) => one !== value) : [...left, value]));
    const field = make("input", "", { type: "checkbox", value, checked: !left.includes(value), onchange });
    return make("label", value.includes("/") ? "below" : "", field, make("span", "", value.split("/").pop()));
  }),
);

/** For each family of base models, the model that its LoRAs are loaded on. */
const bases = kept("bases", ({ values, offered }, change) => {
  const rows = offered.bases.map(({ family, name, models }) => {
    const known = [["", say("set_likeliest")], ...models.map((/** @type {string} */ one) => [one, one])];
    const field = menu(name, known, values.bases[family] ?? (family in values.bases ? null : ""), (base) => change({ [family]: base }));
    return make("label", "", make("span", "", name), field);
  });
  return rows.length ? rows : [make("span", "", say("set_no_base"))];
});

/** Whether the server has the model that ranks by meaning; if not, a button that gets it. @param {string} ariaLabel */
function weights(ariaLabel) {
  const [said, bar] = [status(), make("progress", "", { ariaLabel })];
  const get = button("get", say("get_weights"), () => follow({}));
  const control = make("div");
  const box = outermost("setting weights", control, said);
  /** @param {WeightsState} state */
  const show = ({ step, done, total, why }) => {
    const megabytes = [done, total].map((bytes) => Math.round(bytes / 1e6));
    Object.assign(bar, { max: total, value: done });
    /** @type {Record<string, [string | null, ...HTMLElement[]]>} */
    const shown = { here: [say("weights_here")], missing: ["", get], fetching: [say("of_megabytes", ...megabytes), bar], failed: [why, get] };
    const [words, ...parts] = shown[step];
    said.textContent = words;
    control.replaceChildren(...parts);
    if (step === "fetching") setTimeout(() => box.isConnected && follow(), 500);
  };
  /** @param {unknown} [body] with one, the download begins */
  const follow = (body) =>
    ask("embedder", body).then(show, (error) => show({ step: "failed", done: 0, total: 0, why: reason(error) }));
  follow();
  return box;
}

/** @param {string} id @param {(label: string) => HTMLElement} type @returns {any} ComfyUI's types know only its own ids */
const setting = (id, type) => ({ id: `PersonalQ.${id}`, category: ["PersonalQ", "Models", id], ...settingTexts(id), type, defaultValue: null });

/** For `registerExtension`, once the texts are there; the dialog shows the last one first. */
export const settings = () => [
  setting("Questions", choice("questions")),
  setting("Prefer", choice("prefer")),
  setting("Reasoner", choice("reasoner")),
  setting("Weights", weights),
  setting("Embedder", choice("embedder")),
  setting("Bases", bases),
  setting("Folders", folders),
];
