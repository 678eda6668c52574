// The form for one card: what is known of a model, which source each fact comes from, what its file says besides, and prompts of
// example pictures. It writes only the model's sidecar. The form for a recipe is the same.
import { cardPicture, star } from "./card_tile.js";
import { useCard } from "./card_use.js";
import { ask, cardPath, thumbnail } from "./cards.js";
import { fileSize } from "./dates.js";
import { button, make, reason, status, sure } from "./page.js";
import { named, say } from "./texts.js";

const LONG = ["description", "request"];

/** @param {string | null} source */
const sourceOf = (source) => make("span", source === "sidecar" ? "source own" : "source", source ? named(source, "by_") : say("unknown"));

/** The editor of a card, or of a recipe. @param {CardDetails} card @param {() => void} back @param {() => void} onSaved */
export function cardEditor(card, back, onSaved) {
  const line = status("dim", say(card.file ? "recipe_advice" : "advice", card.name));
  const tell = (/** @type {string} */ textContent, role = "status") => void Object.assign(line, { role, textContent });
  const rows = Object.entries(card.fields).map(([name, { value, source }]) => {
    const tip = named(`${name}_tip`);
    const input = make(LONG.includes(name) ? "textarea" : "input", "", name === "created_at" && { type: "date" });
    Object.assign(input, { name, value: [value ?? ""].flat().join(", "), placeholder: tip, title: tip, spellcheck: false });
    return { input, shown: input.value, row: make("label", "field", make("span", "label", named(name)), sourceOf(source), input) };
  });
  const removed = () => [back(), onSaved()];
  const changed = () => rows.filter(({ input, shown }) => input.value.trim() !== shown.trim()).map(({ input }) => input);
  let leaving = false; // once the card is saved
  const leave = async () => {
    const saves = changed().length > 0 && (await sure(say("back"), say("unsaved", card.name), "dirtyClose", say("leave")));
    if (saves === false) return back();
    leaving = Boolean(saves);
    if (saves) form.requestSubmit();
  };
  const save = make("button", "save", say("save"));
  const top = make("div", "row", button("plain", `‹ ${say("back")}`, leave), button("plain", say("use_card"), () => useCard(card)), !card.file && star(card));
  const form = make("form", "editor", { ariaLabel: say("card_of", card.name) }, top);
  form.append(cardPicture(card, "?large=1", "large"), make("h3", "", card.name), cardFacts(card, tell, removed));
  form.append(...rows.map(({ row }) => row), make("div", "saving", save, line), ...examples(card));
  form.onkeydown = ({ key, isComposing }) => void (key === "Escape" && !isComposing && leave());
  form.onsubmit = async (event) => {
    event.preventDefault();
    const said = changed().map(({ name, value }) => [name, value.trim() || null]);
    if (!said.length) return tell(say("saved")); // nothing is left to save
    save.disabled = true;
    try {
      const saved = await ask(cardPath(card.id), Object.fromEntries(said));
      onSaved();
      if (leaving) return back();
      const next = cardEditor({ ...saved, can_open: card.can_open }, back, onSaved);
      form.replaceWith(next);
      /** @type {HTMLElement | null} */ (next.querySelector(".personalq-save"))?.focus();
      const line = next.querySelector(".personalq-saving [role=status]");
      setTimeout(() => line && (line.textContent = say("saved")), 50); // screen readers read what changes, not what is new
    } catch (error) {
      tell(reason(error), "alert");
      save.disabled = leaving = false;
    }
  };
  return form;
}

/** @param {CardDetails} card @param {(text: string) => void} tell @param {() => void} removed */
function cardFacts(card, tell, removed) {
  const list = make("dl", "facts");
  const row = (/** @type {TextKey} */ label, /** @type {(Node | string)[]} */ ...parts) => list.append(make("dt", "", say(label)), make("dd", "", ...parts));
  row("kind", named(card.kind));
  if (card.facts.strength) row("strength_is", String(card.facts.strength.value));
  if (card.uses) row("models_used", make("div", "", ...card.uses.map((one) => make("div", "", one))));
  if (card.size !== null) row("size", fileSize(card.size));
  if (!card.file) row("hash", hash(card, tell));
  if (card.page) row("page", link(card.page, new URL(card.page).hostname));
  if (card.captions.length) row("trained_on", tags(card.captions));
  const acts = [
    card.triggered && button("plain", say("copy"), () => [copy(card.words), tell(say("copied"))]),
    card.can_open && button("plain", say("open_folder"), () => ask(`${cardPath(card.id)}/folder`, {})),
    ...(card.file ? [download(card), button("plain", say("delete"), () => remove(card).then((done) => done && removed()))] : []),
  ];
  return make("div", "about", list, make("div", "acts", ...acts));
}

/** The hash if it was computed, else a button that computes it. @param {CardDetails} card @param {(text: string) => void} tell */
function hash(card, tell) {
  if (card.sha256) return make("code", "", card.sha256);
  const compute = button("plain", say("compute"), async () => {
    tell(say("computing"));
    const { sha256 } = await ask(`${cardPath(card.id)}/hash`, {});
    compute.replaceWith(make("code", "", sha256));
    tell(sha256);
  });
  return compute;
}

/** Tags of the training pictures, each with the share of pictures that have it. @param {[string, number][]} captions */
const tags = (captions) => make("span", "tags", ...captions.map(([word, share]) => make("span", "tag", word, make("span", "dim", ` ${Math.round(100 * share)}%`))));

/** Prompts that example pictures were drawn with. @param {CardDetails} card */
function examples(card) {
  if (!card.examples.length) return [];
  const rows = card.examples.map(({ prompt, preview, link: address }) => {
    const picture = preview !== undefined && thumbnail(card.id, `?number=${preview}`);
    const page = address ? link(address, say("example_picture")) : "";
    const use = button("plain", say("use_prompt"), () => useCard(card, prompt));
    return make("div", "example", picture, make("p", "", prompt), make("div", "acts", use, page));
  });
  return [make("h4", "", say("examples")), ...rows];
}

/** A link to the file of a recipe. @param {CardDetails} card */
function download({ name, file }) {
  const href = URL.createObjectURL(new Blob([JSON.stringify(file, null, 2)]));
  return make("a", "", say("download"), { href, download: `${name}.recipe.json` });
}

/** Deletes a recipe if the user says so; whether it did. @param {CardDetails} card */
async function remove({ id, name }) {
  return (await sure(say("delete"), say("delete_recipe", name), "delete")) && ask(`${cardPath(id)}/delete`, {});
}

/** A link that tells the site nothing of this page. @param {string} href @param {string} text */
const link = (href, text) => make("a", "", text, { href, target: "_blank", rel: "noopener noreferrer" });

/** Copies a text, also on a page without https, which has no clipboard object. @param {string} text */
function copy(text) {
  const area = make("textarea", "", { value: text });
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
