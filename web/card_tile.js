// One card in the grid: its picture or initials, what it is, why it was found, and a star.
import { dragAs } from "./card_use.js";
import { ask, cardPath, thumbnail } from "./cards.js";
import { previewOf } from "./card_preview.js";
import { day } from "./dates.js";
import { button, make } from "./page.js";
import { named, say } from "./texts.js";

/** The first letters of a name's first two words, for a card without a picture. @param {string} name */
export const initials = (name) => (name.match(/[\p{L}\p{N}]+/gu) ?? ["?"]).slice(0, 2).map((word) => [...word][0].toUpperCase()).join("");

/** A picture of a card, over its kind and initials. @param {ModelCard} card @param {string} [classes] @param {string} [query] */
export function cardPicture(card, classes = "", query = "") {
  const frame = thumbnail(card.id, classes, query);
  const blank = make("span", "blank", make("span", "initials", initials(card.name)), named(card.kind));
  blank.ariaHidden = "true";
  frame.prepend(blank);
  return frame;
}

/** Why the card was found, in a few words. @param {ModelCard} card */
const reasons = (card) => (card.why ?? []).map(([where, words]) => `${named(where, "why_")}: ${words}`).join(" · ");

/**
 * The card's element that takes the focus, and its star.
 * @param {ModelCard} card @param {Record<string, string>} baseNames @param {(card: ModelCard) => void} open @param {(error: unknown) => void} complain
 */
export function cardTile(card, baseNames, open, complain) {
  const element = button("open", "", () => open(card));
  const facts = [card.version && `v${card.version}`, day(card.created), baseNames[card.base_model ?? ""] ?? card.base_model];
  element.append(cardPicture(card), make("span", "label", card.name), make("span", "dim", facts.filter(Boolean).join(" · ")));
  const why = reasons(card);
  if (why) element.append(make("span", "matched", why));
  element.ariaDescription = say("tile_tip");
  dragAs(element, card);
  previewOf(element, card);
  const mark = star(card, complain);
  mark.tabIndex = -1; // by keyboard: the key F on the card
  element.setAttribute("aria-keyshortcuts", "f");
  element.addEventListener("keydown", ({ key, ctrlKey, metaKey }) => {
    if (key.toLowerCase() === "f" && !ctrlKey && !metaKey) mark.click();
  });
  return [element, mark];
}

/** The button that marks a card as a favourite. @param {ModelCard} card @param {(error: unknown) => void} complain */
export function star(card, complain) {
  const draw = () => {
    element.ariaPressed = String(card.favourite);
    element.textContent = card.favourite ? "★" : "☆";
  };
  const element = button("star", "", async () => {
    try {
      await ask(`${cardPath(card.id)}/favourite`, { favourite: !card.favourite });
      card.favourite = !card.favourite;
      draw();
    } catch (error) {
      complain(error);
    }
  });
  element.ariaLabel = say("favourite_of", card.name);
  element.title = say("favourite");
  draw();
  return element;
}
