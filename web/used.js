// The models of a decision as they will be used in the next run: what the last run said, changed by the text in `chosen`.
import { parseChosen, switchedOn } from "./chosen.js";

/** The models of a decision; one of old workflows has none. @param {Decided} decided */
export const modelsOf = ({ models = [] }) => models;

/**
 * The models with their use; null if the text picks other models than these.
 * @param {Decided} decided @param {string} text @returns {UsedModel[] | null}
 */
export function usedModels(decided, text) {
  const models = modelsOf(decided);
  const picked = parseChosen(text, decided.request);
  if (!picked.length) return models;
  const isSame = (/** @type {UsedModel} */ { name, called }, /** @type {number} */ place) => [name, called].includes(picked[place].name);
  if (picked.length !== models.length || !models.every(isSame)) return null;
  return models.map((model, place) => changed(model, picked[place]));
}

/** @param {UsedModel} model @param {PickedModel} line @returns {UsedModel} */
function changed(model, { on, strength, triggers }) {
  const own = model.strength_said ? model.recommended : model.strength; // recommended together with the others, as the run said
  const first = model.triggers.slice(0, 1).map(({ text }) => text);
  const wanted = triggers ?? (model.triggers_said ? first : switchedOn(model.triggers));
  return {
    ...model,
    on,
    strength: strength ?? own,
    strength_said: strength !== null,
    triggers: model.triggers.map(({ text }) => ({ text, on: wanted.includes(text) })),
    triggers_said: triggers !== null,
  };
}

/** Whether these are other models, or used in another way. @param {UsedModel[]} before @param {UsedModel[]} now */
export const isChanged = (before, now) => use(before) !== use(now);

/** @param {UsedModel[]} models */
const use = (models) => JSON.stringify(models.map(({ name, on, strength, triggers }) => [name, on, strength, triggers]));
