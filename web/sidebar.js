// The sidebar tab with all models: search, filters, pictures, and a card for each model that can be edited and dragged.
import { api } from "../../scripts/api.js";
import { app } from "../../scripts/app.js";
import { cardEditor } from "./card_editor.js";
import { cardGrid } from "./card_grid.js";
import { dragAs } from "./card_use.js";
import { ask, cardPath, reason, thumbnail } from "./cards.js";
import { addStyles, button, make, outermost } from "./page.js";
import { settings } from "./settings.js";

const PAUSE = 80; // milliseconds from the last key to the search
const FILTERS = Object.entries({
  base_model: "Base",
  subject: "Subject",
  style: "Style",
  since: "From this day on",
  until: "Up to this day",
});
/** @type {Record<string, string>} the search, remembered while the tab is closed */
const query = {};
/** @type {Record<string, string>} */
let baseNames = {};

/** @param {HTMLElement} element */
function render(element) {
  let total = 0;
  let run = 0;
  const status = make("span", "dim");
  status.role = "status";
  const bar = make("progress");
  bar.hidden = true;
  const rescan = button("plain", "Rescan", scan);
  const filters = make("div", "filters");
  const grid = cardGrid((card) => tile(card, open));
  const words = named(make("input", "search"), "text", "Search all models");
  words.type = "search";
  let timer = 0;
  words.addEventListener("input", () => {
    query.text = words.value;
    clearTimeout(timer);
    timer = window.setTimeout(search, PAUSE);
  });
  const browse = make("div", "browse", words, filters, make("div", "row", status, rescan), bar, grid.element);
  const panel = outermost("library", browse);
  panel.addEventListener("keydown", (event) => {
    if (!event.ctrlKey && !event.metaKey) event.stopPropagation(); // otherwise a key would act on the graph
  });
  /** @param {() => Promise<void>} work */
  const attempt = (work) => work().catch((error) => void (status.textContent = reason(error)));

  const search = () =>
    attempt(async () => {
      const mine = ++run;
      /** @type {LoadCards} */
      const load = (offset) => ask(`cards?${new URLSearchParams({ ...query, offset: `${offset}` })}`);
      const found = await load(0);
      if (mine !== run) return; // the user has typed more meanwhile
      status.textContent = found.total === total ? `${total} models` : `${found.total} of ${total} models`;
      grid.fill(found, load);
    });

  async function scan() {
    /** @param {CustomEvent<{done: number, total: number}>} event */
    const onProgress = ({ detail }) => {
      Object.assign(bar, { hidden: false, max: detail.total, value: detail.done });
      status.textContent = `Reading ${detail.done} of ${detail.total}`;
    };
    rescan.disabled = true;
    api.addEventListener("personalq_rescan", onProgress);
    await attempt(async () => {
      const about = await ask("rescan", {});
      total = about.total;
      baseNames = about.names;
      rescan.title = ["Reads what has changed in the model folders.", ...about.notices].join("\n");
      filters.replaceChildren(...fields(about.filters, search));
      await search();
    });
    api.removeEventListener("personalq_rescan", onProgress);
    bar.hidden = true;
    rescan.disabled = false;
  }

  const open = (/** @type {ModelCard} */ card) =>
    attempt(async () => {
      const editor = cardEditor(await ask(cardPath(card.id)), close, search);
      browse.hidden = true;
      panel.querySelector("form")?.remove(); // the form of another card that was opened while this one loaded
      panel.append(editor);
      editor.querySelector("button")?.focus();
    });

  function close() {
    panel.querySelector("form")?.remove();
    browse.hidden = false;
    grid.focus();
  }

  element.style.height = "100%";
  element.replaceChildren(panel);
  scan();
}

/** @param {Record<string, [string, number][]>} values @param {() => void} search */
function fields(values, search) {
  return FILTERS.map(([name, label]) => {
    const field = make(values[name] ? "select" : "input");
    const options = (values[name] ?? []).map(([value, count]) => new Option(`${baseNames[value] ?? value} (${count})`, value));
    if (field instanceof HTMLInputElement) field.type = "date";
    else field.append(new Option(label, ""), ...options);
    field.addEventListener("change", () => {
      query[name] = field.value;
      search();
    });
    return named(field, name, label);
  });
}

/** @template {HTMLInputElement | HTMLSelectElement} Field
 * @param {Field} field @param {string} name @param {string} title */
function named(field, name, title) {
  return Object.assign(field, { name, title, placeholder: title, ariaLabel: title, value: query[name] ?? "" });
}

/** @param {ModelCard} card @param {(card: ModelCard) => void} open */
function tile(card, open) {
  const element = button("open", "", () => open(card));
  const base = baseNames[card.base_model ?? ""] ?? card.base_model;
  const facts = [card.version && `v${card.version}`, card.created, base].filter(Boolean).join(" · ");
  element.append(thumbnail(card.id), make("span", "label", card.name), make("span", "dim", facts));
  element.title = `${card.name}\n${card.words}\nDrag it onto Repo Check-in or the canvas; click it to see its card.`;
  dragAs(element, card);
  return element;
}

app.registerExtension({
  name: "PersonalQ.Library",
  settings,
  async setup() {
    addStyles("sidebar.css");
    app.extensionManager.registerSidebarTab({
      id: "personalq",
      icon: "pi pi-id-card",
      title: "PersonalQ",
      label: "PersonalQ",
      tooltip: "PersonalQ: your models",
      type: "custom",
      render,
    });
  },
});
