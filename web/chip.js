// One chosen model on Repo Check-in: its picture, and what can be changed of its use.
import { day } from "./dates.js";
import { button, make, picture } from "./page.js";
import { text } from "./texts.js";

const STEP = 0.05;
const LIMIT = 10; // strengths are from -10 to 10
/** @typedef {(changed: Partial<UsedModel>) => void} Change */

/** Version and date. @param {Model} card */
export function facts({ version, created }) {
  return [version && `v${version.replace(/^v/i, "")}`, day(created)].filter(Boolean);
}

/**
 * The chip. `act.change` is called with what is changed of the model's use, `act.swap` opens the models to use instead.
 * @param {UsedModel} model @param {{change: Change, swap?: () => void, isOpen?: boolean}} act
 * @param {{beside: (HTMLElement | string)[], below: HTMLElement[], only: boolean}} more what stands beside and below its name
 */
export function chip(model, act, { beside, below, only }) {
  const name = make("div", "label", model.name);
  if (model.sha256) name.title = `SHA-256 ${model.sha256}`;
  const row = make("div", "row", name, ...beside);
  if (act.swap && model.offers.length) row.append(swapButton(model, act.swap, act.isOpen));
  if (!only || model.kind === "lora") row.append(onOff(model, act.change));
  const lines = make("div", "text", row, make("div", "dim", known(model, only)));
  const uses = controls(model, act.change);
  if (uses.length) lines.append(make("div", "uses", ...uses));
  lines.append(...below);
  const all = make("div", model.on ? "model" : "model off", picture(model.image), lines);
  all.role = "group";
  all.ariaLabel = model.name;
  return all;
}

/** @param {UsedModel} model @param {boolean} only */
function known(model, only) {
  if (model.missing) return text("not_here");
  const kind = model.kind === "lora" ? "LoRA" : model.kind;
  const words = !only && model.words.length ? text("stands_for", model.words.join(" ")) : "";
  return [...facts(model), model.base_model, kind, words].filter(Boolean).join(" · ");
}

/** @param {UsedModel} model @param {() => void} swap @param {boolean} [isOpen] */
function swapButton(model, swap, isOpen = false) {
  const element = button("swap", text("swap"), swap);
  element.ariaLabel = text("swap_one", model.name);
  element.ariaExpanded = String(isOpen);
  return keyed(element, "swap");
}

/** @param {UsedModel} model @param {Change} change */
function onOff(model, change) {
  const element = button("switch", "", () => change({ on: !model.on }));
  element.ariaLabel = text("use", model.name);
  element.ariaPressed = String(model.on);
  element.title = element.ariaLabel;
  return keyed(element, "on");
}

/** @param {UsedModel} model @param {Change} change */
function controls(model, change) {
  const found = [];
  if (model.kind === "lora") found.push(make("label", "strength", text("strength"), strength(model, change)));
  if (model.triggers.length) found.push(triggers(model, change));
  return model.missing ? [] : found;
}

/** @param {UsedModel} model @param {Change} change */
function strength(model, change) {
  const field = make("input", "number");
  const limits = { type: "number", step: String(STEP), min: String(-LIMIT), max: String(LIMIT) };
  Object.assign(field, limits, { value: String(model.strength), title: text("recommended", model.recommended) });
  field.ariaLabel = text("strength_of", model.name);
  field.addEventListener("change", () => {
    const said = field.value !== "";
    const value = Math.max(-LIMIT, Math.min(LIMIT, Number(field.value)));
    change({ strength: said ? value : model.recommended, strength_said: said });
  });
  return keyed(field, "strength");
}

/** @param {UsedModel} model @param {Change} change */
function triggers(model, change) {
  const all = model.triggers.map((trigger, place) => {
    const switched = model.triggers.map((each, at) => (at === place ? { ...each, on: !each.on } : each));
    const element = button("trigger-switch", trigger.text, () => change({ triggers: switched, triggers_said: true }));
    element.ariaPressed = String(trigger.on);
    element.title = text("trigger");
    return keyed(element, `trigger ${place}`);
  });
  const group = make("div", "triggers", ...all);
  group.role = "group";
  group.ariaLabel = text("triggers_of", model.name);
  return group;
}

/** Names a control, so that it gets the focus again when the chip is drawn anew. @template {HTMLElement} T @param {T} element @param {string} key */
function keyed(element, key) {
  element.dataset.key = key;
  return element;
}
