// Helpers that make elements of the page. Text is always set as text, never as markup: some of it comes from files and models.
import { api } from "../../scripts/api.js";

/**
 * A new element with these children, which may be texts. `classes` are class names without our prefix, which is added.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {string} [classes] @param {...(Node | string)} children
 */
export function make(tag, classes = "", ...children) {
  const element = document.createElement(tag);
  element.className = classes.replace(/\S+/g, "personalq-$&");
  element.append(...children);
  return element;
}

/** An outermost element; our styles apply to everything inside it. @param {string} name @param {...Node} children */
export function outermost(name, ...children) {
  const element = make("div", name, ...children);
  element.classList.add("personalq");
  return element;
}

/** @param {string} file in the folder of this script */
export function addStyles(file) {
  document.head.append(Object.assign(make("link"), { rel: "stylesheet", href: new URL(file, import.meta.url).href }));
}

/** A button that calls `act` when it is pressed. @param {string} classes @param {string} text @param {() => unknown} act */
export function button(classes, text, act) {
  const element = make("button", classes, text);
  element.type = "button";
  element.addEventListener("click", act);
  return element;
}

/**
 * A frame with a picture from the server; it stays empty if there is none.
 * @param {string | null} path @param {string} [classes] @param {"lazy" | "eager"} [loading]
 */
export function framed(path, classes = "", loading = "eager") {
  const frame = make("span", `picture ${classes}`.trim());
  if (!path) return frame;
  const img = Object.assign(make("img"), { alt: "", loading, decoding: "async", draggable: false });
  img.addEventListener("error", () => img.remove()); // temporary previews are lost when the server restarts
  img.src = api.apiURL(path);
  frame.append(img);
  return frame;
}

/** A preview picture in its frame. @param {Picture | null} [image] */
export const picture = (image) => framed(image ? `/view?${new URLSearchParams({ ...image })}` : null);

/** The server's answer to a POST of JSON. @param {string} path @param {unknown} body @param {Record<string, string>} [headers] */
export const post = (path, body, headers) =>
  api.fetchApi(path, { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(body) });
