// A grid for any number of tiles. Only the tiles in view are on the page; cards are fetched from the server as needed.
import { make } from "./page.js";
import { say } from "./texts.js";

const PAGE = 100; // cards in one response of the server
const NARROWEST = 104; // smallest width of a tile in pixels
const ROW = 176; // height of a row of tiles in pixels

/**
 * The grid: `fill` shows other cards, `focus` moves the focus to the last focused tile.
 * @param {(card: ModelCard) => HTMLElement[]} tile makes a card's elements; the first one takes the focus
 */
export function cardGrid(tile) {
  const list = make("div", "tiles", { role: "list", ariaLabel: say("tab") });
  const frame = make("div", "grid", list);
  /** @type {Map<number, ModelCard[]>} a page is empty while it is being fetched */
  let pages = new Map();
  /** @type {Map<number, HTMLElement>} index -> the element of a tile that is on the page */
  const shown = new Map();
  let total = 0;
  let columns = 1;
  let current = 0; // index of the tile that the Tab key reaches
  /** @type {LoadCards} */
  let load;

  /** @param {number} number */
  async function need(number) {
    const mine = pages;
    mine.set(number, []);
    const found = await load(number * PAGE).catch(() => {});
    if (!found) return void mine.delete(number); // the next scroll fetches it again
    mine.set(number, found.cards);
    if (mine === pages) draw();
  }

  /** @param {number} index @param {ModelCard} card */
  function place(index, card) {
    const [inner, ...others] = tile(card);
    inner.tabIndex = index === current ? 0 : -1;
    inner.addEventListener("focus", () => (current = index));
    const style = `width: ${100 / columns}%; transform: translate(${100 * (index % columns)}%, ${ROW * Math.floor(index / columns)}px)`;
    list.append(make("div", "tile", { role: "listitem", ariaPosInSet: `${index + 1}`, ariaSetSize: `${total}`, style }, inner, ...others));
    shown.set(index, inner);
  }

  function draw() {
    const first = Math.max(0, Math.floor(frame.scrollTop / ROW) - 1) * columns;
    const last = Math.min(total, (Math.ceil((frame.scrollTop + frame.clientHeight) / ROW) + 1) * columns);
    for (const [index, inner] of shown) {
      if ((index >= first && index < last) || inner === document.activeElement) continue;
      inner.parentElement?.remove();
      shown.delete(index);
    }
    for (let index = first; index < last; index++) {
      const page = pages.get(Math.floor(index / PAGE));
      if (!page) need(Math.floor(index / PAGE));
      else if (page.length && !shown.has(index)) place(index, page[index % PAGE]);
    }
  }

  const fitting = () => Math.max(1, Math.floor(frame.clientWidth / NARROWEST));

  function layOut() {
    if (!frame.clientWidth) return; // the grid is not visible
    const held = list.contains(document.activeElement);
    list.replaceChildren();
    shown.clear();
    columns = fitting();
    list.style.height = `${ROW * Math.ceil(total / columns)}px`;
    draw();
    if (held) focus();
  }

  function focus() {
    if (!shown.size) layOut(); // other cards came while the grid was not visible
    shown.get(current)?.setAttribute("tabindex", "0");
    shown.get(current)?.focus();
  }

  frame.onscroll = draw;
  frame.onkeydown = (event) => {
    /** @type {Record<string, number>} */
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns, Home: -total, End: total };
    if (!(event.key in steps)) return;
    event.preventDefault();
    shown.get(current)?.setAttribute("tabindex", "-1");
    current = Math.max(0, Math.min(total - 1, current + steps[event.key]));
    const top = ROW * Math.floor(current / columns);
    frame.scrollTop = Math.max(top + ROW - frame.clientHeight, Math.min(top, frame.scrollTop));
    draw();
    focus();
  };
  // Where only the height changed, the tiles and their pictures stay.
  new ResizeObserver(() => (fitting() === columns && shown.size ? draw : layOut)()).observe(frame);

  /** @param {CardPage} found @param {LoadCards} loadMore */
  function fill(found, loadMore) {
    pages = new Map([[0, found.cards]]);
    total = found.total;
    load = loadMore;
    current = frame.scrollTop = 0;
    shown.clear(); // also where the grid is not visible
    layOut();
  }
  return { element: frame, fill, focus };
}
