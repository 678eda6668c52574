// What the card shows besides its fields: file, hash, page, training tags, and the prompts of example pictures.
import { useCard } from "./card_use.js";
import { ask, cardPath, thumbnail } from "./cards.js";
import { fileSize } from "./dates.js";
import { button, make } from "./page.js";
import { named, say } from "./texts.js";

const MOST_TAGS = 24;

/** @param {CardDetails} card @param {(text: string) => void} tell @param {(error: unknown) => void} complain */
export function cardFacts(card, tell, complain) {
  const list = make("dl", "facts");
  const row = (/** @type {string} */ label, /** @type {(Node | string)[]} */ ...parts) => list.append(make("dt", "", label), make("dd", "", ...parts));
  row(say("kind"), named(card.kind));
  if (card.facts.strength) row(say("strength"), String(card.facts.strength.value));
  if (card.size !== null) row(say("size"), fileSize(card.size));
  row(say("hash"), hash(card, tell, complain));
  if (card.page) row(say("page"), link(card.page, new URL(card.page).hostname));
  if (card.captions.length) row(say("trained_on"), tags(card.captions));
  const acts = [];
  if (card.triggered) acts.push(button("plain", say("copy"), () => copy(card.words).then(() => tell(say("copied")), complain)));
  if (card.can_open) acts.push(button("plain", say("open_folder"), () => ask(`${cardPath(card.id)}/folder`, {}).catch(complain)));
  return make("div", "about", list, make("div", "acts", ...acts));
}

/** The hash if it was computed, else a button that computes it. @param {CardDetails} card @param {(text: string) => void} tell @param {(error: unknown) => void} complain */
function hash(card, tell, complain) {
  if (card.sha256) return make("code", "", card.sha256);
  const compute = button("plain", say("compute"), async () => {
    compute.disabled = true;
    tell(say("computing"));
    try {
      const { sha256 } = await ask(`${cardPath(card.id)}/hash`, {});
      compute.replaceWith(make("code", "", sha256));
      tell(sha256);
    } catch (error) {
      compute.disabled = false;
      complain(error);
    }
  });
  return compute;
}

/** Tags of the training pictures, each with the share of pictures that have it. @param {[string, number][]} captions */
function tags(captions) {
  const percent = new Intl.NumberFormat(undefined, { style: "percent" });
  const shown = captions.slice(0, MOST_TAGS).map(([tag, share]) => make("span", "tag", tag, make("span", "dim", ` ${percent.format(share)}`)));
  return make("span", "tags", ...shown);
}

/** Prompts that example pictures were drawn with. @param {CardDetails} card */
export function examples(card) {
  if (!card.examples.length) return [];
  const rows = card.examples.map(({ prompt, preview, link: address }) => {
    const row = make("div", "example", make("p", "", prompt));
    if (preview !== undefined) row.prepend(thumbnail(card.id, "", `?number=${preview}`));
    const acts = make("div", "acts", button("plain", say("use_prompt"), () => useCard(card, prompt)));
    if (address) acts.append(link(address, say("example_picture")));
    row.append(acts);
    return row;
  });
  return [make("h4", "", say("examples")), ...rows];
}

/** A link that tells the site nothing of this page. @param {string} href @param {string} text */
const link = (href, text) => Object.assign(make("a", "", text), { href, target: "_blank", rel: "noopener noreferrer" });

/** Copies a text, also on a page without https. @param {string} text */
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = Object.assign(make("textarea"), { value: text });
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
