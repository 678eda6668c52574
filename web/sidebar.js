// The sidebar tab with all models: search in one's own words, filters, pictures, and a card for each model.
import { api } from "../../scripts/api.js";
import { app } from "../../scripts/app.js";
import { cardEditor } from "./card_editor.js";
import { cardGrid } from "./card_grid.js";
import { hidePreview } from "./card_preview.js";
import { cardTile } from "./card_tile.js";
import { ask, cardPath } from "./cards.js";
import { button, keepKey, make, outermost, reason, status as statusLine } from "./page.js";
import { nearWords } from "./offers.js";
import { filters } from "./sidebar_filters.js";
import { say } from "./texts.js";

const PAUSE = 80; // milliseconds from the last key to the search
const SELDOM = 20_000; // milliseconds from a scan to one that the focus starts
/** @type {Record<string, string>} the search, remembered while the tab is closed */
const query = {};
/** @type {HTMLElement | undefined} */
let shown;
/** Looks for other models, where the tab is shown; with the focus not often. @type {((focus?: boolean) => void) | undefined} */
let look;
/** Shows how far the scan is that is under way. @type {OnProgress | undefined} */
let progress;

/** Shows the tab; a card that was open in it still is, with what is typed. @param {HTMLElement} element */
function render(element) {
  if (!shown?.querySelector("form")) shown = library();
  element.replaceChildren(shown);
}

function library() {
  let total = 0;
  let run = 0;
  let last = ""; // what the last scan found
  let next = 0; // the time from when the focus starts another
  const status = statusLine("dim");
  const bar = make("progress", "", { hidden: true });
  const rescan = button("plain", say("rescan"), scan, { title: say("rescan_tip") });
  const choices = make("div", "choices");
  const notes = make("div", "notes-of-scan");
  const unmet = statusLine("unmet");
  const grid = cardGrid((card) => cardTile(card, open));
  let timer = 0;
  const words = make("input", "search", { type: "search", name: "text", value: query.text ?? "", placeholder: say("search") }, {
    title: say("search_tip"),
    ariaLabel: say("search"),
    spellcheck: false,
    oninput: () => {
      query.text = words.value;
      clearTimeout(timer);
      timer = setTimeout(search, PAUSE);
    },
    onkeydown: ({ key }) => void (key === "ArrowDown" && grid.focus()),
  });
  const browse = make("div", "browse", words, choices, make("div", "row", status, rescan), notes, bar, unmet, grid.element);
  const panel = outermost("library", browse, {
    ondragover: onFile,
    ondrop: onFile,
    onkeydown: (event) => {
      if (event.key === "Escape") hidePreview();
      keepKey(event);
    },
  });
  const attempt = (/** @type {() => Promise<void>} */ work) => work().catch((error) => {
    last = ""; // the next scan fills the grid again
    status.textContent = reason(error);
  });

  const search = () =>
    attempt(async () => {
      const mine = ++run;
      /** @type {LoadCards} */
      const load = (offset) => ask(`cards?${new URLSearchParams({ ...query, offset: `${offset}` })}`);
      const found = await load(0);
      if (mine !== run) return; // the user has typed more meanwhile
      hidePreview();
      const models = found.total === total ? say("models", total) : say("found", found.total, total);
      status.textContent = query.only === "recipe" ? say("recipes", found.total) : models;
      const lacking = found.unmet.map((word) => `“${word}”`).join(", ");
      unmet.replaceChildren(lacking && say("unmet", lacking), ...nearWords(found.near, words.value, type));
      grid.fill(found, load);
    });

  /** @param {string} text */
  function type(text) {
    query.text = words.value = text;
    words.focus();
    search();
  }

  /** Keeps the recipes in dropped files, and shows all recipes. @param {DragEvent} event */
  function onFile(event) {
    const { items, files } = /** @type {DataTransfer} */ (event.dataTransfer);
    if (![...items].some(({ kind }) => kind === "file")) return;
    event.preventDefault();
    event.stopPropagation(); // otherwise ComfyUI would open it as a workflow
    if (event.type !== "drop") return;
    attempt(async () => {
      for (const file of files) await ask("recipes", await file.text().then(JSON.parse).catch(() => ({})));
      query.only = "recipe";
      await scan();
    });
  }

  /** @param {boolean} [quiet] whether nobody asked for it */
  async function scan(quiet = false) {
    progress = ({ detail }) => {
      Object.assign(bar, { hidden: false, max: detail.total, value: detail.done });
      status.textContent = say("reading", detail.done, detail.total);
    };
    rescan.disabled = !quiet;
    next = Infinity;
    await attempt(async () => {
      /** @type {Summary} */
      const about = await ask("rescan", {});
      if (last === (last = JSON.stringify(about)) && quiet && bar.hidden) return; // the tiles stay where they are
      total = about.total;
      notes.replaceChildren(...scanNotes(about));
      choices.replaceChildren(...filters(about, query, search));
      await search();
    });
    progress = undefined;
    bar.hidden = true;
    rescan.disabled = false;
    next = Date.now() + SELDOM;
  }

  const open = (/** @type {ModelCard} */ card) =>
    attempt(async () => {
      hidePreview();
      const editor = cardEditor(await ask(cardPath(card.id)), close, search);
      close(); // the form of another card that was opened while this one loaded
      panel.append(editor);
      editor.querySelector("button")?.focus();
    });

  function close() {
    panel.querySelector("form")?.remove();
    grid.focus();
  }

  look = (focus) => void (panel.isConnected && !(focus && Date.now() < next) && scan(true));
  scan();
  return panel;
}

/** What the scan says about files, as a list that opens; nothing if it says nothing. @param {Summary} about */
function scanNotes({ unreadable, notices }) {
  if (!notices.length) return [];
  const others = notices.length - unreadable;
  const title = [
    unreadable && say(unreadable === 1 ? "one_unreadable" : "unreadable", unreadable),
    others > 0 && say("notices", others),
  ];
  const list = make("ul", "", ...notices.map(({ file, why }) => make("li", "", make("span", "label", file), ` ${why}`)));
  return [make("details", "scanned", make("summary", "", title.filter(Boolean).join(" · ")), list)];
}

app.registerExtension({
  name: "PersonalQ.Library",
  setup() {
    api.addEventListener("personalq_rescan", (event) => progress?.(event)); // the page reports what nothing listens to as an error
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
    window.addEventListener("focus", () => look?.(true));
  },
  refreshComboInNodes: () => look?.(),
});
