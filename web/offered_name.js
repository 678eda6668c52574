// The line on Repo Check-in that offers to call the model by words of the request. Nothing is learnt without a press of its button.
import { ask, cardPath, reason } from "./cards.js";
import { button, make } from "./page.js";
import { text } from "./texts.js";

/**
 * The line. `offered.learnt` is set once the name is in the model's card, so that a line that is drawn again says so.
 * @param {OfferedName} offered @param {string} model the model's name
 */
export function offeredName(offered, model) {
  const said = make("div", "why-text dim");
  said.role = "status"; // screen readers read it out when its text changes
  const act = button("again", "", async () => {
    act.disabled = true;
    try {
      await ask(`${cardPath(offered.card)}/names`, { [offered.learnt ? "remove" : "add"]: offered.name });
      offered.learnt = !offered.learnt;
      draw();
    } catch (error) {
      said.textContent = reason(error);
    }
    act.disabled = false;
    act.focus({ preventScroll: true }); // which it lost when it was disabled
  });
  const draw = () => {
    const { name, learnt } = offered;
    said.textContent = text(learnt ? "name_learnt" : "name_unknown", name, model);
    act.textContent = learnt ? text("undo") : text("name_learn", name);
    act.title = text(learnt ? "name_forget_title" : "name_learn_title", name, model);
  };
  draw();
  return make("div", "row", said, act);
}
