// What a person keeps of a run: its picture as the preview of a model, and its models with the request as a recipe.
import { app } from "../../scripts/app.js";
import { ask, cardPath } from "./cards.js";
import { button, sure, tell } from "./page.js";
import { say } from "./texts.js";

/**
 * The button that makes a picture the preview of a model. The server writes it beside the model, and asks where there is one already.
 * @param {CardDetails} card @param {Picture} picture @param {string} prompt that it was drawn with @param {() => void} done
 */
export const pictureButton = (card, picture, prompt, done) =>
  button("plain", say("keep_picture"), async () => {
    const send = (/** @type {boolean} */ replace) => ask(`${cardPath(card.id)}/preview`, { picture, prompt, replace });
    const { asks } = await send(false);
    if (asks) {
      if (!(await sure(say("keep_picture"), asks))) return;
      await send(true);
    }
    tell("success", say("picture_kept", card.name));
    done();
  });

/** The button that keeps a recipe under a name that it asks for. @param {string} request @param {string} chosen the text that picks the models */
export const recipeButton = (request, chosen) =>
  button("again", say("keep_recipe"), async () => {
    const asked = { title: say("keep_recipe"), message: say("recipe_name"), defaultValue: request.match(/^.{1,40}(?!\S)|^.{40}/s)?.[0] };
    const name = await app.extensionManager.dialog.prompt(asked);
    if (!name?.trim()) return;
    const kept = await ask("recipes", { name, request, models: chosen.split("\n").slice(1) });
    tell("success", say("recipe_kept", kept.name));
  });
