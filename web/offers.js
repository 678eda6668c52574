// The other models that Repo Check-in offers, each a button with its picture.
import { facts } from "./chip.js";
import { button, make, picture } from "./page.js";
import { text } from "./texts.js";

/**
 * A title and a group of buttons; a click on one takes its model.
 * @param {string} title @param {Offer[]} offered @param {(offer: Offer) => void} take @param {(offer: Offer) => string} [does]
 */
export function offers(title, offered, take, does = ({ name }) => text("use_offer", name)) {
  const group = make("div", "offers", ...offered.map((offer) => {
    const details = [offer.reason, facts(offer).join(" · ")].filter(Boolean);
    const element = button("offer", "", () => take(offer));
    element.title = does(offer);
    element.ariaLabel = [element.title, ...details].join(", ");
    const lines = details.map((detail) => make("span", "dim", detail));
    element.append(picture(offer.image), make("span", "text", make("span", "label", offer.name), ...lines));
    return element;
  }));
  group.role = "group";
  group.ariaLabel = title;
  return [make("div", "dim", title), group];
}
