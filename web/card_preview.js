// A large picture of the card under the mouse, or of the card that has the focus, beside the tab, with a prompt that it was drawn with.
import { ask, cardPath, thumbnail } from "./cards.js";
import { make, outermost } from "./page.js";
import { say } from "./texts.js";

const DELAY = 500; // milliseconds
const [WIDE, TALL] = [340, 480]; // pixels, with the space around it
/** @type {HTMLElement | undefined} */
let shown;
let timer = 0;

/** Shows the preview of a card while its element is hovered or focused by keyboard. @param {HTMLElement} element @param {ModelCard} card */
export function previewOf(element, card) {
  const begin = () => {
    hidePreview();
    timer = window.setTimeout(show, DELAY, element, card);
  };
  element.addEventListener("pointerenter", begin);
  element.addEventListener("focus", () => element.matches(":focus-visible") && begin());
  for (const end of ["pointerleave", "pointerdown", "blur", "dragstart"]) element.addEventListener(end, hidePreview);
}

/** Hides it; what is about to be shown is not. */
export function hidePreview() {
  clearTimeout(timer);
  shown?.remove();
  shown = undefined;
}

/** @param {HTMLElement} element @param {ModelCard} card */
async function show(element, card) {
  if (!element.isConnected) return;
  const box = element.getBoundingClientRect();
  const tab = (element.closest(".personalq-library") ?? element).getBoundingClientRect();
  const text = make("div", "dim");
  const picture = thumbnail(card.id, "", "?large=1", "eager");
  const mine = outermost("preview", picture, make("div", "label", card.name), text, make("div", "dim", say("tile_tip")));
  mine.role = "tooltip";
  const right = tab.right + WIDE < innerWidth;
  mine.style.left = `${right ? tab.right + 8 : Math.max(8, tab.left - WIDE)}px`;
  mine.style.top = `${Math.max(8, Math.min(box.top, innerHeight - TALL))}px`;
  shown = mine;
  picture.querySelector("img")?.addEventListener("error", () => picture.remove());
  document.body.append(mine);
  const details = await ask(cardPath(card.id)).catch(() => null);
  text.textContent = details?.examples[0]?.prompt ?? (card.triggered ? card.words : "");
}
