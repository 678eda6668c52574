// A large picture of the model under the mouse, or of the one that has the focus, with a prompt that it was drawn with, and buttons.
import { ask, thumbnail } from "./cards.js";
import { button, dim, make, outermost } from "./page.js";
import { say } from "./texts.js";

const DELAY = 500; // milliseconds until it is shown
const STAYS = 350; // milliseconds in which the mouse can come from the model to the buttons
const [WIDE, TALL] = [340, 480]; // pixels, with the space around it
/** @type {HTMLElement | undefined} */
let shown;
let timer = 0;

/**
 * Shows the preview of a model while its element, or the preview itself, is hovered or focused by keyboard; returns what shows it at once.
 * @param {HTMLElement} element @param {string} path under which the server has the card
 * @param {(card: CardDetails, prompt: string) => unknown} [use] puts an example prompt into a request
 * @param {(card: CardDetails) => HTMLElement[]} [more] buttons
 */
export function previewOf(element, path, use, more = () => []) {
  const after = (/** @type {number} */ delay) => {
    hidePreview();
    timer = setTimeout(show, delay, element, path, use, more);
  };
  element.addEventListener("keydown", ({ key }) => key === "Escape" && hidePreview());
  const onfocus = () => element.matches(":focus-visible") && after(DELAY);
  Object.assign(element, { onfocus, onpointerenter: () => after(DELAY), onpointerdown: hidePreview });
  leaves(element);
  return () => after(0);
}

/** Hides the preview once the mouse or the focus leaves this for good. @param {HTMLElement} element */
function leaves(element) {
  element.onpointerleave = () => {
    clearTimeout(timer);
    timer = setTimeout(hidePreview, STAYS);
  };
  element.addEventListener("focusout", ({ relatedTarget }) => {
    if (!shown?.contains(/** @type {Node | null} */ (relatedTarget))) hidePreview();
  });
}

/** Hides it; what is about to be shown is not. */
export function hidePreview() {
  clearTimeout(timer);
  timer = 0; // a card that is on its way is of an older one
  shown?.remove();
  shown = undefined;
}

/** @param {HTMLElement} element @param {string} path @param {Parameters<typeof previewOf>[2]} use @param {(card: CardDetails) => HTMLElement[]} more */
async function show(element, path, use, more) {
  const mine = timer;
  const card = await ask(path).catch(() => null);
  if (!card || mine !== timer || !element.isConnected) return; // the mouse has left it meanwhile
  const box = element.getBoundingClientRect();
  const panel = (element.closest(".personalq") ?? element).getBoundingClientRect();
  const prompt = card.examples[0]?.prompt;
  const acts = more(card);
  if (prompt && use) acts.unshift(button("plain", say("use_prompt"), () => [use(card, prompt), hidePreview()]));
  const picture = thumbnail(card.id, "?large=1");
  const words = dim(prompt ?? (card.triggered ? card.words : ""));
  const right = panel.right + 8 + WIDE < innerWidth && (panel.right - box.right < box.left - panel.left || panel.left < WIDE);
  const left = right ? panel.right + 8 : Math.max(8, panel.left - WIDE);
  const top = Math.max(8, Math.min(box.top, innerHeight - TALL));
  const onkeydown = (/** @type {KeyboardEvent} */ { key }) => void (key === "Escape" && [element.focus(), hidePreview()]);
  const role = acts.length ? "dialog" : "tooltip";
  const style = `transform: translate(${left}px, ${top}px)`;
  const about = { role, ariaLabel: card.name, popover: "manual", style, onkeydown, onpointerenter: () => clearTimeout(timer) };
  shown = outermost("large-preview", about, picture, make("div", "label", card.name), words, make("div", "acts", ...acts));
  picture.querySelector("img")?.addEventListener("error", () => picture.remove());
  leaves(shown);
  element.after(shown); // so that the Tab key leads from the element to the buttons
  shown.showPopover();
}
