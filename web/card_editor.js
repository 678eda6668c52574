// The form for one card: what is known of a model, and which source each fact comes from. It writes only the model's sidecar.
import { cardFacts, examples } from "./card_facts.js";
import { cardPicture, star } from "./card_tile.js";
import { useCard } from "./card_use.js";
import { ask, cardPath, reason } from "./cards.js";
import { fieldDay } from "./dates.js";
import { button, make } from "./page.js";
import { named, say } from "./texts.js";

const FIELDS = /** @type {const} */ ([
  "triggers",
  "names",
  "subjects",
  "styles",
  "description",
  "version",
  "created_at",
  "base_model",
  "base",
  "lineage",
]);
const LISTS = ["triggers", "names", "subjects", "styles"];

/** @param {string} name @param {unknown} value the value as its field shows it */
const asText = (name, value) => (name === "created_at" ? fieldDay(String(value ?? "")) : Array.isArray(value) ? value.join(", ") : String(value ?? ""));

/** @param {string | null} source */
function sourceOf(source) {
  const element = make("span", "source", source ? named(source, "by_") : say("unknown"));
  element.dataset.source = source ?? "";
  return element;
}

/** The editor of a card. @param {CardDetails} card @param {() => void} back @param {() => void} onSaved */
export function cardEditor(card, back, onSaved) {
  const status = make("div", "dim", say("advice", card.name));
  status.role = "status";
  /** @param {unknown} error */
  const complain = (error) => {
    status.role = "alert";
    status.textContent = reason(error);
  };
  const tell = (/** @type {string} */ text) => {
    status.role = "status";
    status.textContent = text;
  };
  const rows = FIELDS.map((name) => {
    const input = make(name === "description" ? "textarea" : "input");
    if (name === "created_at" && input instanceof HTMLInputElement) input.type = "date";
    const { value, source } = card.fields[name];
    Object.assign(input, { name, value: asText(name, value), placeholder: say(`${name}_tip`), title: say(`${name}_tip`), spellcheck: false });
    return { input, row: make("label", "field", make("span", "label", say(name)), sourceOf(source), input) };
  });
  const use = button("plain", say("use"), () => useCard(card));
  const save = make("button", "save", say("save"));
  const form = make("form", "editor", make("div", "row", button("plain", `‹ ${say("back")}`, back), use, star(card, complain)));
  form.append(cardPicture(card, "large", "?large=1"), make("h3", "", card.name), cardFacts(card, tell, complain));
  form.append(...rows.map(({ row }) => row), make("div", "saving", save, status), ...examples(card));
  form.ariaLabel = say("card_of", card.name);
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") back();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const changed = rows.map(({ input }) => input).filter(({ name, value }) => value.trim() !== asText(name, card.fields[name].value));
    if (!changed.length) return tell(say("saved")); // nothing is left to save
    save.disabled = true;
    try {
      const saved = await ask(cardPath(card.id), Object.fromEntries(changed.map(said)));
      const next = cardEditor({ ...saved, can_open: card.can_open }, back, onSaved);
      form.replaceWith(next);
      /** @type {HTMLElement | null} */ (next.querySelector(".personalq-save"))?.focus();
      const line = next.querySelector(".personalq-saving [role=status]");
      setTimeout(() => line && (line.textContent = say("saved")), 50); // screen readers read what changes, not what is new
      onSaved();
    } catch (error) {
      complain(error);
      save.disabled = false;
    }
  });
  return form;
}

/** A field's name and value as the server expects them; null removes the value. @param {{name: string, value: string}} input */
function said({ name, value }) {
  return [name, !value.trim() ? null : LISTS.includes(name) ? value.split(",").filter((one) => one.trim()) : value];
}
