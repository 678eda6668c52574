// The form for one card: what is known of a model, and which source each fact comes from. It writes only the model's sidecar.
import { ask, cardPath, reason, thumbnail } from "./cards.js";
import { useCard } from "./card_use.js";
import { button, make } from "./page.js";

const FIELDS = [
  ["triggers", "Triggers", "Words that call the model; the first one goes into prompts"],
  ["names", "Also called", "What you call it: pickle, old boot"],
  ["subjects", "Subjects", "What it draws, in the words of requests: bear, teddy bear"],
  ["styles", "Styles", "How it looks: realistic, sketch"],
  ["description", "Description", "One sentence about what it draws"],
  ["lineage", "Lineage", "One name for all builds of one subject in one style"],
];
const FACTS = { kind: "Kind", base_model: "Base model", base: "Base", version: "Version", created_at: "Created" };
/** @type {Record<string, string>} */
const SOURCES = { sidecar: "written by you", generated: "Describe Models", safetensors: "model file" };

/** @param {unknown} value */
const asText = (value) => (Array.isArray(value) ? value.join(", ") : String(value ?? ""));

/** @param {string | null} source */
function sourceOf(source) {
  const element = make("span", "source", source ? (SOURCES[source] ?? source) : "not known");
  element.dataset.source = source ?? "";
  return element;
}

/** The editor of a card. @param {CardDetails} card @param {() => void} back @param {() => void} onSaved */
export function cardEditor(card, back, onSaved) {
  const rows = FIELDS.map(([name, label, hint]) => {
    const input = make(name === "description" ? "textarea" : "input");
    Object.assign(input, { name, value: asText(card.fields[name].value), placeholder: hint, title: hint, spellcheck: false });
    return { input, row: make("label", "field", make("span", "label", label), sourceOf(card.fields[name].source), input) };
  });
  const use = button("plain", "Use in request", () => useCard(card));
  const save = make("button", "save", "Save");
  const advice = `Writes ${card.name}.personalq.yaml beside the model. Clear a field to remove what you wrote there.`;
  const status = make("div", "dim", advice);
  status.role = "status";
  const form = make("form", "editor", make("div", "row", button("plain", "‹ All models", back), use));
  form.append(thumbnail(card.id, "large"), make("h3", "", card.name), facts(card), ...rows.map(({ row }) => row), save, status);
  form.ariaLabel = `Card of ${card.name}`;
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") back();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const changed = rows.map(({ input }) => input).filter(({ name, value }) => value.trim() !== asText(card.fields[name].value));
    if (!changed.length) return;
    save.disabled = true;
    try {
      const saved = await ask(cardPath(card.id), Object.fromEntries(changed.map(said)));
      const next = cardEditor(saved, back, onSaved);
      form.replaceWith(next);
      next.querySelector("button")?.focus();
      onSaved();
    } catch (error) {
      status.role = "alert";
      status.textContent = reason(error);
      save.disabled = false;
    }
  });
  return form;
}

/** A field's name and value as the server expects them; null removes the value. @param {{name: string, value: string}} input */
function said({ name, value }) {
  const several = ["triggers", "names", "subjects", "styles"].includes(name);
  return [name, !value.trim() ? null : several ? value.split(",").filter((one) => one.trim()) : value];
}

/** @param {CardDetails} card */
function facts({ facts }) {
  const list = make("dl", "facts");
  for (const [name, label] of Object.entries(FACTS)) {
    const fact = facts[name];
    if (fact) list.append(make("dt", "", label), make("dd", "", asText(fact.value).replace(/T\d\d:.*/, ""), sourceOf(fact.source)));
  }
  return list;
}
