// One card: what is known of a model and who said it, in a form that writes our sidecar and nothing else.
import { ask, cardPath, reason, showThumbnail } from "./cards.js";
import { useCard } from "./card_use.js";
import { button, make } from "./page.js";

const FIELDS = [
  ["triggers", "Triggers", "Words that call the model, the first goes into prompts"],
  ["subjects", "Subjects", "What requests call it: bear, teddy bear"],
  ["styles", "Styles", "How it looks: realistic, sketch"],
  ["description", "Description", "A sentence on what it draws"],
  ["lineage", "Lineage", "One text for all builds of one thing in one look"],
];
const FACTS = { kind: "Kind", base_model: "Base model", base: "Base", version: "Version", created_at: "Created" };
/** @type {Record<string, string>} */
const SOURCES = { sidecar: "you said so", generated: "Describe Models", safetensors: "model file" };

/** @param {unknown} value */
const asText = (value) => (Array.isArray(value) ? value.join(", ") : String(value ?? ""));

/** @param {string | null} source */
function sourceOf(source) {
  const element = make("span", "personalq-source", source ? (SOURCES[source] ?? source) : "not known");
  element.dataset.source = source ?? "";
  return element;
}

/** The editor of a card. @param {CardDetails} card @param {() => void} back @param {() => void} onSaved */
export function cardEditor(card, back, onSaved) {
  const form = make("form", "personalq-editor");
  form.ariaLabel = `Card of ${card.name}`;
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") back();
  });
  const head = make("div", "personalq-row");
  head.append(button("personalq-plain", "‹ All models", back), button("personalq-plain", "Use in request", () => useCard(card)));
  const frame = make("span", "personalq-picture personalq-large");
  showThumbnail(frame, card.id);
  const inputs = FIELDS.map(([name, label, hint]) => {
    const row = make("label", "personalq-field");
    const input = make(name === "description" ? "textarea" : "input", "");
    Object.assign(input, { name, value: asText(card.fields[name].value), placeholder: hint, title: hint, spellcheck: false });
    row.append(make("span", "personalq-label", label), sourceOf(card.fields[name].source), input);
    form.append(row);
    return input;
  });
  const save = make("button", "personalq-save", "Save");
  const file = `${card.name}.personalq.yaml`;
  const status = make("div", "personalq-dim", `Writes ${file} beside the model. Clear a field to take back what you said.`);
  status.role = "status";
  form.prepend(head, frame, make("h3", "", card.name), facts(card));
  form.append(save, status);

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const changed = inputs.filter(({ name, value }) => value.trim() !== asText(card.fields[name].value));
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

/** A field as the server takes it; null takes it back. @param {{name: string, value: string}} input */
function said({ name, value }) {
  const several = ["triggers", "subjects", "styles"].includes(name);
  return [name, !value.trim() ? null : several ? value.split(",").filter((one) => one.trim()) : value];
}

/** @param {CardDetails} card */
function facts(card) {
  const list = make("dl", "personalq-facts");
  for (const [name, label] of Object.entries(FACTS)) {
    const fact = card.facts[name];
    if (!fact) continue;
    const value = make("dd", "", asText(fact.value).replace(/T\d\d:.*/, ""));
    value.append(sourceOf(fact.source));
    list.append(make("dt", "", label), value);
  }
  return list;
}
