// Small pieces of page. Text is only ever set as text, never as markup: some of it comes from files and models.
import { api } from "../../scripts/api.js";

/** A new element with a class and a text. */
export function make(tag, className, text = "") {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  return element;
}

/** A preview picture, or an empty frame of the same size where there is none. */
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
