// One chosen model on Repo Check-in: its picture, and what can be changed of its use.
import { previewOf } from "./card_preview.js";
import { linePath } from "./cards.js";
import { day } from "./dates.js";
import { button, dim, group, make, picture } from "./page.js";
import { named, say } from "./texts.js";

/** @typedef {(changed: Partial<UsedModel>) => void} Change */
/** @typedef {Parameters<typeof previewOf>[2]} Use */

/** Version and date. @param {{version?: string | null, created?: string | null}} card */
export const facts = ({ version, created }) => [version, day(created)].filter(Boolean);

/**
 * The chip. Its controls have names, so that one that has the focus gets it again when the chip is drawn anew. `act.change` is called
 * with what is changed of the model's use, `act.swap` opens the models to use instead, `act.remove` takes it out, `act.use` takes an
 * example prompt, and `act.more` gives more buttons for the large picture, whose small one it is given.
 * @param {UsedModel} model
 * @param {{change: Change, fixed: boolean, swap: () => void, remove: () => void, isOpen?: boolean, use?: Use, more?: (card: CardDetails, small: HTMLElement) => HTMLElement[]}} act
 * @param {false | {beside: HTMLElement | string, below: HTMLElement}} only what stands beside and below the name of a model that is alone
 */
export function chip(model, act, only) {
  const name = make("div", "label", model.name, { title: model.sha256 ? `SHA-256 ${model.sha256}` : "" });
  const row = make("div", "row", name, only && only.beside);
  const swaps = !only && !act.fixed;
  if (swaps && model.offers.length) {
    row.append(button("swap", say("swap"), act.swap, { name: "swap", ariaLabel: say("swap_one", model.name), ariaExpanded: `${Boolean(act.isOpen)}` }));
  }
  if (!act.fixed && (!only || model.kind === "lora")) row.append(labelled("on", "switch", "", say("use", model.name), () => act.change({ on: !model.on }), { ariaPressed: `${model.on}` }));
  if (swaps) row.append(labelled("remove", "undo", "×", say("remove", model.name), act.remove));
  const controls = model.missing ? [] : [
    model.kind === "lora" && make("label", "strength", say("strength"), strength(model, act.change)),
    model.triggers.length > 0 && triggers(model, act.change),
  ];
  const lines = make("div", "text", row, dim(known(model, only)), make("fieldset", "uses", { disabled: act.fixed }, ...controls), only && only.below);
  return group(model.on ? "model" : "model off", model.name, look(model, act), lines);
}

/** The picture, which can be seen large. @param {UsedModel} model @param {Parameters<typeof chip>[1]} act */
function look(model, { use, more }) {
  if (model.missing) return picture();
  const element = button("picture look", "", () => large(), { name: "look", ariaLabel: say("large", model.name) }, ...picture(model.image).childNodes);
  const large = previewOf(element, linePath(model.line), use, (card) => more?.(card, element) ?? []);
  return element;
}

/** @param {UsedModel} model @param {unknown} only */
function known(model, only) {
  if (model.missing) return say("not_here");
  const words = !only && model.words.length ? say("stands_for", model.words.join(" ")) : "";
  return [...facts(model), model.base_model, named(model.kind), model.base && say("runs_on", model.base), words].filter(Boolean).join(" · ");
}

/** A button that says in its title what it does. @param {string} name @param {string} classes @param {string} text @param {string} title @param {() => void} act @param {object} [more] */
const labelled = (name, classes, text, title, act, more = {}) => button(classes, text, act, { name, title, ariaLabel: title, ...more });

/** @param {UsedModel} model @param {Change} change */
function strength(model, change) {
  const onchange = () => {
    const { value, validity } = field;
    if (validity.rangeOverflow || validity.rangeUnderflow) return void field.reportValidity();
    change({ strength: value ? Number(value) : model.recommended, strength_said: Boolean(value) });
  };
  // A browser in another language drops a comma: 0,7 would become 7.
  const onbeforeinput = (/** @type {InputEvent} */ event) =>
    void (event.data === "," && (event.preventDefault(), document.execCommand("insertText", false, ".")));
  const titles = { title: say("recommended", model.recommended), ariaLabel: say("strength_of", model.name) };
  const field = make("input", "number", { name: "strength", type: "number", step: "0.05", min: "-10", max: "10", value: `${model.strength}`, onchange, onbeforeinput }, titles);
  return field;
}

/** @param {UsedModel} model @param {Change} change */
function triggers(model, change) {
  return group("triggers", say("triggers_of", model.name), ...model.triggers.map((trigger, place) => {
    const switched = model.triggers.map((each, at) => (at === place ? { ...each, on: !each.on } : each));
    const act = () => change({ triggers: switched, triggers_said: true });
    return button("trigger-switch", trigger.text, act, { name: `trigger ${place}`, ariaPressed: `${trigger.on}`, title: say("trigger") });
  }));
}
