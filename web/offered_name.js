// The line on Repo Check-in that offers to call the model by words of the request. Nothing is learnt without a press of its button.
import { ask, cardPath, reason } from "./cards.js";
import { button, make } from "./page.js";

/**
 * The line. `offered.learnt` is set once the name is in the model's card, so that a line that is drawn again says so.
 * @param {OfferedName} offered @param {string} model the model's name
 */
export function offeredName(offered, model) {
  const text = make("div", "why-text dim");
  text.role = "status"; // screen readers read it out when its text changes
  const act = button("again", "", async () => {
    act.disabled = true;
    try {
      await ask(`${cardPath(offered.card)}/names`, { [offered.learnt ? "remove" : "add"]: offered.name });
      offered.learnt = !offered.learnt;
      draw();
    } catch (error) {
      text.textContent = reason(error);
    }
    act.disabled = false;
    act.focus({ preventScroll: true }); // which it lost when it was disabled
  });
  const draw = () => {
    const { name, learnt } = offered;
    text.textContent = learnt ? `'${name}' now means ${model}.` : `No model is called '${name}' yet.`;
    act.textContent = learnt ? "Undo" : `Call this one '${name}'`;
    act.title = learnt ? `Removes '${name}' from the model's card.` : `Writes '${name}' into ${model}.personalq.yaml, so that requests find the model by it.`;
  };
  draw();
  return make("div", "row", text, act);
}
