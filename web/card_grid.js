// A grid of any number of tiles: only those in view are on the page, and cards come from the server as they are needed.
import { make } from "./page.js";

/** @typedef {import("./cards.js").Card} Card */

const PAGE = 100; // cards in one answer of the server
const NARROWEST = 104; // pixels of a tile
const ROW = 160; // pixels
const STEPS = /** @type {const} */ ({ ArrowLeft: -1, ArrowRight: 1, ArrowUp: "up", ArrowDown: "down", Home: "first", End: "last" });

/**
 * The grid, and a function that fills it anew with what `load(offset)` gives.
 * @param {(card: Card) => HTMLElement} tile makes what a tile shows: something that takes the focus
 */
export function cardGrid(tile) {
  const frame = make("div", "personalq-grid");
  const list = make("div", "personalq-tiles");
  list.setAttribute("role", "list");
  list.setAttribute("aria-label", "Models");
  frame.append(list);
  /** @type {Map<number, Card[] | "asked">} */
  let pages = new Map();
  /** @type {Map<number, HTMLElement>} */
  const shown = new Map();
  let total = 0;
  let columns = 1;
  let current = 0; // the tile that Tab reaches
  /** @type {(offset: number) => Promise<{total: number, cards: Card[]}>} */
  let load;

  /** @param {number} index */
  const cardAt = (index) => {
    const page = pages.get(Math.floor(index / PAGE));
    return Array.isArray(page) ? page[index % PAGE] : undefined;
  };

  /** @param {number} index */
  async function need(index) {
    const number = Math.floor(index / PAGE);
    if (pages.has(number)) return;
    const mine = pages;
    mine.set(number, "asked");
    const { cards } = await load(number * PAGE);
    mine.set(number, cards);
    if (mine === pages) draw();
  }

  /** @param {number} index @param {Card} card */
  function place(index, card) {
    const cell = make("div", "personalq-tile");
    cell.setAttribute("role", "listitem");
    cell.setAttribute("aria-posinset", String(index + 1));
    cell.setAttribute("aria-setsize", String(total));
    cell.style.width = `${100 / columns}%`;
    cell.style.transform = `translate(${100 * (index % columns)}%, ${ROW * Math.floor(index / columns)}px)`;
    const inner = tile(card);
    inner.tabIndex = index === current ? 0 : -1;
    inner.dataset.index = String(index);
    cell.append(inner);
    list.append(cell);
    shown.set(index, cell);
  }

  function draw() {
    const first = Math.max(0, Math.floor(frame.scrollTop / ROW) - 1) * columns;
    const last = Math.min(total, (Math.ceil((frame.scrollTop + frame.clientHeight) / ROW) + 1) * columns);
    for (const [index, cell] of shown) {
      if ((index < first || index >= last) && !cell.contains(document.activeElement)) {
        cell.remove();
        shown.delete(index);
      }
    }
    for (let index = first; index < last; index++) {
      const card = cardAt(index);
      if (!card) need(index);
      else if (!shown.has(index)) place(index, card);
    }
  }

  function clear() {
    for (const cell of shown.values()) cell.remove();
    shown.clear();
    columns = Math.max(1, Math.floor(frame.clientWidth / NARROWEST));
    list.style.height = `${ROW * Math.ceil(total / columns)}px`;
  }

  /** @param {number} index */
  function focus(index) {
    const before = shown.get(current)?.firstElementChild;
    if (before instanceof HTMLElement) before.tabIndex = -1;
    current = Math.max(0, Math.min(total - 1, index));
    const top = ROW * Math.floor(current / columns);
    frame.scrollTop = Math.max(top + ROW - frame.clientHeight, Math.min(top, frame.scrollTop));
    draw();
    const inner = shown.get(current)?.firstElementChild;
    if (!(inner instanceof HTMLElement)) return;
    inner.tabIndex = 0;
    inner.focus();
  }

  frame.addEventListener("scroll", draw, { passive: true });
  frame.addEventListener("focusin", ({ target }) => {
    if (target instanceof HTMLElement && target.dataset.index) current = Number(target.dataset.index);
  });
  frame.addEventListener("keydown", (event) => {
    const step = STEPS[/** @type {keyof typeof STEPS} */ (event.key)];
    if (step === undefined) return;
    event.preventDefault();
    const places = { up: current - columns, down: current + columns, first: 0, last: total - 1 };
    focus(typeof step === "number" ? current + step : places[step]);
  });
  new ResizeObserver(() => {
    if (!frame.clientWidth) return; // not on the page
    clear();
    draw();
  }).observe(frame);

  /**
   * Shows other cards, from the first on.
   * @param {{total: number, cards: Card[]}} found @param {typeof load} loadMore
   */
  function fill(found, loadMore) {
    pages = new Map([[0, found.cards]]);
    total = found.total;
    load = loadMore;
    current = 0;
    frame.scrollTop = 0;
    clear();
    draw();
  }
  return { element: frame, fill };
}
