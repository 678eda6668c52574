// A tab of the sidebar with all models: search, filters, pictures, and a card for each that can be edited and dragged.
import { api } from "../../scripts/api.js";
import { app } from "../../scripts/app.js";
import { cardEditor } from "./card_editor.js";
import { cardGrid } from "./card_grid.js";
import { dragAs } from "./card_use.js";
import { ask, cardPath, showThumbnail } from "./cards.js";
import { button, make } from "./page.js";
import { settings } from "./settings.js";

/** @typedef {import("./cards.js").Card} Card */

const PAUSE = 80; // milliseconds after a key until the search begins
const SELECTS = [["base_model", "Base"], ["subject", "Subject"], ["style", "Style"]];
const DAYS = [["since", "From this day on"], ["until", "Up to this day"]];
/** @type {Record<string, string>} what is looked for, kept while the tab is closed */
const query = {};
/** @type {Record<string, string>} */
let baseNames = {};

/** @param {HTMLElement} element */
function render(element) {
  const panel = make("div", "personalq personalq-library");
  panel.addEventListener("keydown", (event) => {
    if (!event.ctrlKey && !event.metaKey) event.stopPropagation(); // or a key in here would do something to the graph
  });
  const status = make("span", "personalq-dim");
  status.setAttribute("role", "status");
  const bar = make("progress", "");
  bar.hidden = true;
  bar.setAttribute("aria-label", "Rescan");
  const grid = cardGrid((card) => tile(card, open));
  const filters = make("div", "personalq-filters");
  const rescan = button("personalq-plain", "Rescan", scan);
  rescan.title = "Reads what was added or changed in the folders of models";
  const row = make("div", "personalq-row");
  row.append(status, rescan);
  const browse = make("div", "personalq-browse");
  browse.append(searchField(search), filters, row, bar, grid.element);
  panel.append(browse);
  element.style.height = "100%";
  element.replaceChildren(panel);
  let total = 0;
  let run = 0;
  scan();

  async function search() {
    const mine = ++run;
    const load = (/** @type {number} */ offset) => ask(`cards?${new URLSearchParams({ ...query, offset: String(offset) })}`);
    try {
      const found = await load(0);
      if (mine !== run) return; // typed on meanwhile
      status.textContent = found.total === total ? `${total} models` : `${found.total} of ${total} models`;
      grid.fill(found, load);
    } catch (error) {
      if (mine === run) say(error);
    }
  }

  async function scan() {
    rescan.disabled = true;
    /** @param {CustomEvent<{done: number, total: number}>} event */
    const onProgress = ({ detail }) => {
      bar.hidden = false;
      bar.max = detail.total;
      bar.value = detail.done;
      status.textContent = `Reading ${detail.done} of ${detail.total}`;
    };
    /** @type {any} the host's types name only its own events */
    const events = api;
    events.addEventListener("personalq_rescan", onProgress);
    try {
      const about = await ask("rescan", {});
      total = about.total;
      baseNames = about.names;
      rescan.title = about.notices.length ? `Left out:\n${about.notices.join("\n")}` : rescan.title;
      filters.replaceChildren(...fields(about.filters, search));
      await search();
    } catch (error) {
      say(error);
    }
    events.removeEventListener("personalq_rescan", onProgress);
    bar.hidden = true;
    rescan.disabled = false;
  }

  /** @param {Card} card */
  async function open(card) {
    try {
      const editor = cardEditor(await ask(cardPath(card.id)), close, search);
      browse.hidden = true;
      panel.append(editor);
      editor.querySelector("button")?.focus();
    } catch (error) {
      say(error);
    }
  }

  function close() {
    panel.querySelector("form")?.remove();
    browse.hidden = false;
    /** @type {HTMLElement | null} */ (grid.element.querySelector("[tabindex='0']"))?.focus();
  }

  /** @param {unknown} error */
  const say = (error) => (status.textContent = String(/** @type {Error} */ (error).message));
}

/** @param {() => void} search */
function searchField(search) {
  const field = make("input", "personalq-search");
  field.type = "search";
  field.placeholder = "Search all models";
  field.setAttribute("aria-label", field.placeholder);
  field.value = query.text ?? "";
  let timer = 0;
  field.addEventListener("input", () => {
    query.text = field.value;
    clearTimeout(timer);
    timer = window.setTimeout(search, PAUSE);
  });
  return field;
}

/** @param {Record<string, [string, number][]>} values @param {() => void} search */
function fields(values, search) {
  const selects = SELECTS.map(([name, label]) => {
    const field = make("select", "");
    field.append(new Option(label, ""));
    for (const [value, count] of values[name]) field.append(new Option(`${baseNames[value] ?? value} (${count})`, value));
    return labelled(field, name, label);
  });
  const days = DAYS.map(([name, label]) => {
    const field = make("input", "");
    field.type = "date";
    return labelled(field, name, label);
  });
  for (const field of [...selects, ...days]) {
    field.addEventListener("change", () => {
      query[field.name] = field.value;
      search();
    });
  }
  return [...selects, ...days];
}

/** @template {HTMLInputElement | HTMLSelectElement} Field
 * @param {Field} field @param {string} name @param {string} label */
function labelled(field, name, label) {
  field.name = name;
  field.title = label;
  field.setAttribute("aria-label", label);
  field.value = query[name] ?? "";
  return field;
}

/** @param {Card} card @param {(card: Card) => void} open */
function tile(card, open) {
  const element = button("personalq-open", "", () => open(card));
  const frame = make("span", "personalq-picture");
  showThumbnail(frame, card.id);
  const facts = [card.version && `v${card.version}`, card.created, baseNames[card.base_model ?? ""] ?? card.base_model];
  element.append(frame, make("span", "personalq-label", card.name), make("span", "personalq-dim", facts.filter(Boolean).join(" · ")));
  element.title = `${card.name}\n${card.words}\nDrag it onto Repo Check-in or the canvas; click to see its card.`;
  element.setAttribute("aria-label", [card.name, ...facts].filter(Boolean).join(", "));
  dragAs(element, card);
  return element;
}

app.registerExtension({
  name: "PersonalQ.Library",
  settings,
  async setup() {
    const style = document.createElement("link");
    style.rel = "stylesheet";
    style.href = new URL("sidebar.css", import.meta.url).href;
    document.head.append(style);
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
