// What Repo Check-in offers: other models, words of the library for those that fit nothing, and a name for the model.
import { previewOf } from "./card_preview.js";
import { ask, cardPath, linePath } from "./cards.js";
import { facts } from "./chip.js";
import { button, dim, group, make, picture, status, withDetails } from "./page.js";
import { say } from "./texts.js";

/**
 * A title and a group of buttons, if there are any models; a click on one takes its model.
 * @param {string} title @param {Offer[] | undefined} offered @param {(offer: Offer) => void} take
 * @param {(chosen: string) => Parameters<typeof previewOf>[2]} use takes what a text picks with a prompt that it was drawn with @param {(offer: Offer) => string} [does]
 */
export function offers(title, offered, take, use, does = ({ name }) => say("use_offer", name)) {
  if (!offered?.length) return [];
  const all = offered.map((offer) => {
    const [title, details] = [does(offer), [offer.reason, facts(offer).join(" · ")].filter(Boolean)];
    const element = button("offer", "", () => take(offer), { title, ariaLabel: [title, ...details].join(", ") }, picture(offer.image), withDetails(offer.name, ...details));
    previewOf(element, linePath(offer.line), use(offer.chosen));
    return element;
  });
  return [dim(title), group("offers", title, ...all)];
}

/** @param {[string, string[]][]} near typed words, and those of the library @param {string} text what was typed @param {(text: string) => void} type */
export function nearWords(near, text, type) {
  return near.flatMap(([typed, words]) => words.map((word) => {
    const at = text.toLowerCase().lastIndexOf(typed.toLowerCase());
    const instead = at < 0 ? word : text.slice(0, at) + word + text.slice(at + typed.length);
    return button("plain", word, () => type(instead), { ariaLabel: say("instead", word) });
  }));
}

/**
 * The line that offers to call the model by words of the request; nothing is learnt without a press of its button. `offered.learnt` is
 * set once the name is in the model's card, so that a line that is drawn again says so.
 * @param {OfferedName} offered @param {string} model the model's name
 */
export function offeredName(offered, model) {
  const said = status("why-text dim");
  const act = button("again", "", async () => {
    await ask(`${cardPath(offered.card)}/names`, { [offered.learnt ? "remove" : "add"]: offered.name });
    offered.learnt = !offered.learnt;
    draw();
  });
  const draw = () => {
    const { name, learnt } = offered;
    said.textContent = say(learnt ? "name_learnt" : "name_unknown", name, model);
    act.textContent = learnt ? say("undo") : say("name_learn", name);
    act.title = say(learnt ? "name_forget_title" : "name_learn_title", name, model);
  };
  draw();
  return make("div", "row", said, act);
}
