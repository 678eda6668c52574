// The sidebar tab with all models: search in one's own words, filters, pictures, and a card for each model.
import { api } from "../../scripts/api.js";
import { app } from "../../scripts/app.js";
import { cardEditor } from "./card_editor.js";
import { cardGrid } from "./card_grid.js";
import { hidePreview } from "./card_preview.js";
import { cardTile } from "./card_tile.js";
import { ask, cardPath, reason } from "./cards.js";
import { addStyles, button, make, outermost } from "./page.js";
import { scanNotes } from "./scan_notes.js";
import { settings } from "./settings.js";
import { filters } from "./sidebar_filters.js";
import { say } from "./texts.js";

const PAUSE = 80; // milliseconds from the last key to the search
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
  const rescan = button("plain", say("rescan"), scan);
  const choices = make("div", "choices");
  const notes = make("div", "notes-of-scan");
  const unmet = make("div", "unmet");
  unmet.role = "status";
  const complain = (/** @type {unknown} */ error) => void (status.textContent = reason(error));
  const grid = cardGrid((card) => cardTile(card, baseNames, open, complain));
  const words = Object.assign(make("input", "search"), {
    type: "search",
    name: "text",
    value: query.text ?? "",
    placeholder: say("search"),
    title: say("search_tip"),
    ariaLabel: say("search"),
    spellcheck: false,
  });
  let timer = 0;
  words.addEventListener("input", () => {
    query.text = words.value;
    clearTimeout(timer);
    timer = window.setTimeout(search, PAUSE);
  });
  words.addEventListener("keydown", ({ key }) => {
    if (key === "ArrowDown") grid.focus();
  });
  const browse = make("div", "browse", words, choices, make("div", "row", status, rescan), notes, bar, unmet, grid.element);
  const panel = outermost("library", browse);
  panel.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hidePreview();
    if (!event.ctrlKey && !event.metaKey) event.stopPropagation(); // otherwise a key would act on the graph
  });
  const attempt = (/** @type {() => Promise<void>} */ work) => work().catch(complain);

  const search = () =>
    attempt(async () => {
      const mine = ++run;
      const asked = Object.fromEntries(Object.entries(query).filter(([, value]) => value));
      /** @type {LoadCards} */
      const load = (offset) => ask(`cards?${new URLSearchParams({ ...asked, offset: `${offset}` })}`);
      const found = await load(0);
      if (mine !== run) return; // the user has typed more meanwhile
      hidePreview();
      status.textContent = found.total === total ? say("models", total) : say("found", found.total, total);
      unmet.replaceChildren(...missing(found, insteadOf));
      grid.fill(found, load);
    });

  /** @param {string} typed @param {string} near */
  function insteadOf(typed, near) {
    const at = words.value.toLowerCase().lastIndexOf(typed.toLowerCase());
    words.value = at < 0 ? near : words.value.slice(0, at) + near + words.value.slice(at + typed.length);
    query.text = words.value;
    words.focus();
    search();
  }

  async function scan() {
    /** @param {CustomEvent<{done: number, total: number}>} event */
    const onProgress = ({ detail }) => {
      Object.assign(bar, { hidden: false, max: detail.total, value: detail.done });
      status.textContent = say("reading", detail.done, detail.total);
    };
    rescan.disabled = true;
    api.addEventListener("personalq_rescan", onProgress);
    await attempt(async () => {
      /** @type {Summary} */
      const about = await ask("rescan", {});
      total = about.total;
      baseNames = about.names;
      notes.replaceChildren(...scanNotes(about));
      choices.replaceChildren(...filters(about, query, search));
      await search();
    });
    api.removeEventListener("personalq_rescan", onProgress);
    bar.hidden = true;
    rescan.disabled = false;
  }

  const open = (/** @type {ModelCard} */ card) =>
    attempt(async () => {
      hidePreview();
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

  rescan.title = say("rescan_tip");
  element.style.height = "100%";
  element.replaceChildren(panel);
  scan();
}

/** What no model has, with the nearest words of the library as buttons. @param {CardPage} found @param {(typed: string, near: string) => void} instead */
function missing({ unmet, near }, instead) {
  if (!unmet.length) return [];
  const offers = near.flatMap(([typed, words]) =>
    words.map((word) => Object.assign(button("plain", word, () => instead(typed, word)), { ariaLabel: say("instead", word) })),
  );
  return [make("span", "dim", say("unmet", unmet.map((word) => `“${word}”`).join(", "))), ...offers];
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
      tooltip: say("tab"),
      type: "custom",
      render,
      destroy: hidePreview,
    });
  },
});
