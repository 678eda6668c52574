// Small pieces of page. Text is only ever set as text, never as markup: some of it comes from files and models.
import { api } from "../../scripts/api.js";

/** @typedef {{filename: string, type: string, subfolder: string}} Picture a file as the host's /view takes it */

/**
 * A new element with a class and a text.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {string} className @param {string} [text]
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, className, text = "") {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  return element;
}

/**
 * A button that does `act` when it is pressed.
 * @param {string} className @param {string} text @param {() => unknown} act
 */
export function button(className, text, act) {
  const element = make("button", className, text);
  element.type = "button";
  element.addEventListener("click", act);
  return element;
}

/**
 * A preview picture, or an empty frame of the same size where there is none.
 * @param {Picture | null} [image]
 */
export function picture(image) {
  const frame = make("span", "personalq-picture");
  if (!image) return frame;
  const img = document.createElement("img");
  img.alt = "";
  img.draggable = false;
  img.src = api.apiURL(`/view?${new URLSearchParams({ filename: image.filename, type: image.type, subfolder: image.subfolder })}`);
  img.addEventListener("error", () => img.remove()); // temporary previews are gone after a restart of the server
  frame.append(img);
  return frame;
}
