// One card in the grid: its picture or initials, what it is, why it was found, and a star.
import { dragAs, useCard } from "./card_use.js";
import { ask, cardPath, thumbnail } from "./cards.js";
import { previewOf } from "./card_preview.js";
import { facts } from "./chip.js";
import { button, make } from "./page.js";
import { named, say } from "./texts.js";

/** The first letters of a name's first two words, for a card without a picture. @param {string} name */
const initials = (name) => (name.match(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu) ?? ["?"]).slice(0, 2).join("").toUpperCase();

/** A picture of a card, over its kind and initials. @param {ModelCard} card @param {string} [query] @param {string} [classes] */
export function cardPicture(card, query, classes) {
  const frame = thumbnail(card.id, query, classes);
  frame.prepend(make("span", "blank", { ariaHidden: "true" }, make("span", "initials", initials(card.name)), named(card.kind)));
  return frame;
}

/**
 * The card's element that takes the focus, and its star.
 * @param {ModelCard} card @param {(card: ModelCard) => void} open
 */
export function cardTile(card, open) {
  const lines = [make("span", "label", card.name), make("span", "dim", [card.base_model, ...facts(card)].filter(Boolean).join(" · "))];
  const why = (card.why ?? []).map(([where, words]) => `${named(where, "why_")}: ${words}`).join(" · ");
  if (why) lines.push(make("span", "matched", why));
  const isRecipe = card.kind === "recipe";
  const mark = isRecipe ? button("star", "✎", () => open(card), { ariaLabel: say("change", card.name) }) : star(card);
  mark.tabIndex = -1; // by keyboard: the key F on the card
  const onkeydown = (/** @type {KeyboardEvent} */ { key, ctrlKey, metaKey }) => {
    if (key.toLowerCase() === "f" && !ctrlKey && !metaKey) mark.click();
  };
  const more = { ariaDescription: say(isRecipe ? "recipe_tip" : "tile_tip"), title: isRecipe ? card.words : "", ariaKeyShortcuts: "f", onkeydown };
  const element = button("open", "", () => (isRecipe ? useCard : open)(card), more, cardPicture(card), ...lines);
  dragAs(element, card);
  if (!isRecipe) previewOf(element, cardPath(card.id), useCard);
  return [element, mark];
}

/** The button that marks a card as a favourite. @param {ModelCard} card */
export function star(card) {
  const draw = () => {
    element.ariaPressed = `${card.favourite}`;
    element.textContent = card.favourite ? "★" : "☆";
  };
  const element = button("star", "", async () => {
    await ask(`${cardPath(card.id)}/favourite`, { favourite: !card.favourite });
    card.favourite = !card.favourite;
    draw();
  }, { ariaLabel: say("favourite_of", card.name), title: say("favourite") });
  draw();
  return element;
}
