// One card: what is known of a model and who said it, and a form that writes our sidecar and nothing else.
import { ask, cardPath, showThumbnail } from "./cards.js";
import { useCard } from "./card_use.js";
import { button, make } from "./page.js";

/** @typedef {import("./cards.js").Details} Details */

const FIELDS = [
  ["triggers", "Triggers", "The words that call the model; the first is put into prompts. Commas between several."],
  ["subjects", "Subjects", "What requests call it: bear, teddy bear"],
  ["styles", "Styles", "How it looks: realistic, sketch"],
  ["description", "Description", "A sentence on what it draws"],
  ["lineage", "Lineage", "One text for all builds of one thing in one look"],
];
const LISTS = ["triggers", "subjects", "styles"];
const FACTS = { kind: "Kind", base_model: "Base model", base: "Base", version: "Version", created_at: "Created", strength: "Strength" };
/** @type {Record<string, string>} */
const SOURCES = {
  sidecar: "you said so",
  generated: "Describe Models",
  safetensors: "the model file",
  captions: "the training's captions",
  "file name": "the file's name",
  "file time": "the file's time",
};

/** @param {string | null} source */
const sourceOf = (source) => (source ? (SOURCES[source] ?? source) : "not known");
/** @param {unknown} value */
const asText = (value) => (Array.isArray(value) ? value.join(", ") : String(value ?? ""));

/**
 * The editor of a card. `onSaved` is called after each change on the server.
 * @param {Details} card @param {() => void} back @param {() => void} onSaved
 */
export function cardEditor(card, back, onSaved) {
  const form = make("form", "personalq-editor");
  form.setAttribute("aria-label", `Card of ${card.name}`);
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") back();
  });

  /** @type {Map<string, HTMLInputElement | HTMLTextAreaElement>} */
  const inputs = new Map();
  /** @param {Details} details */
  function render(details) {
    const head = make("div", "personalq-row");
    const close = button("personalq-plain", "‹ All models", back);
    head.append(close, button("personalq-plain personalq-use", "Use in request", () => useCard(details)));
    const frame = make("span", "personalq-picture personalq-large");
    showThumbnail(frame, details.id);
    const rows = FIELDS.map(([name, label, hint]) => field(name, label, hint, details.fields[name]));
    form.replaceChildren(head, frame, make("h3", "", details.name), facts(details), ...rows, foot(details));
    close.focus();
  }

  /** @param {string} name @param {string} label @param {string} hint @param {{value: unknown, source: string | null}} said */
  function field(name, label, hint, said) {
    const row = make("label", "personalq-field");
    const input = make(name === "description" ? "textarea" : "input", "");
    input.name = name;
    input.value = asText(said.value);
    input.placeholder = hint;
    input.title = hint;
    input.spellcheck = false;
    inputs.set(name, input);
    const title = make("span", "personalq-label", label);
    const source = make("span", "personalq-source", sourceOf(said.source));
    source.dataset.source = said.source ?? "";
    row.append(title, source, input);
    return row;
  }

  /** @param {Details} details */
  function foot(details) {
    const box = make("div", "personalq-foot");
    const save = make("button", "personalq-save", "Save");
    save.type = "submit";
    const status = make("div", "personalq-dim");
    status.setAttribute("role", "status");
    status.textContent = `Writes ${details.name}.personalq.yaml beside the model, and nothing else. Clear a field to take back what you said.`;
    form.onsubmit = async (event) => {
      event.preventDefault();
      const changes = changed(details);
      if (!Object.keys(changes).length) return;
      save.disabled = true;
      try {
        render(await ask(cardPath(details.id), changes));
        onSaved();
      } catch (error) {
        status.setAttribute("role", "alert");
        status.textContent = String(/** @type {Error} */ (error).message);
        save.disabled = false;
      }
    };
    box.append(save, status);
    return box;
  }

  /** @param {Details} details */
  function changed(details) {
    /** @type {Record<string, string | string[] | null>} */
    const changes = {};
    for (const [name, { value }] of inputs) {
      const text = value.trim();
      if (text === asText(details.fields[name].value)) continue;
      changes[name] = !text ? null : LISTS.includes(name) ? text.split(",").map((one) => one.trim()).filter(Boolean) : text;
    }
    return changes;
  }

  render(card);
  return form;
}

/** @param {Details} details */
function facts(details) {
  const list = make("dl", "personalq-facts");
  for (const [name, label] of Object.entries(FACTS)) {
    const said = details.facts[name];
    if (!said) continue;
    const value = make("dd", "", name === "created_at" ? said.value.slice(0, 10) : asText(said.value));
    value.append(make("span", "personalq-source", sourceOf(said.source)));
    list.append(make("dt", "", label), value);
  }
  return list;
}
