// Small pieces of page. Text is only ever set as text, never as markup: some of it comes from files and models.
import { api } from "../../scripts/api.js";

/**
 * A new element with these children, texts among them. Its classes are ours, here without their prefix.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {string} [classes] @param {...(Node | string)} children
 */
export function make(tag, classes = "", ...children) {
  const element = document.createElement(tag);
  element.className = classes.replace(/\S+/g, "personalq-$&");
  element.append(...children);
  return element;
}

/** An outermost element: our styles hold for what is in it. @param {string} name @param {...Node} children */
export function outermost(name, ...children) {
  const element = make("div", name, ...children);
  element.classList.add("personalq");
  return element;
}

/** @param {string} file beside this one */
export function addStyles(file) {
  document.head.append(Object.assign(make("link"), { rel: "stylesheet", href: new URL(file, import.meta.url).href }));
}

/** A button that does `act` when it is pressed. @param {string} classes @param {string} text @param {() => unknown} act */
export function button(classes, text, act) {
  const element = make("button", classes, text);
  element.type = "button";
  element.addEventListener("click", act);
  return element;
}

/**
 * A frame with a picture of the server; it stays empty where there is none.
 * @param {string | null} path @param {string} [classes] @param {"lazy" | "eager"} [loading]
 */
export function framed(path, classes = "", loading = "eager") {
  const frame = make("span", `picture ${classes}`.trim());
  if (!path) return frame;
  const img = Object.assign(make("img"), { alt: "", loading, decoding: "async", draggable: false });
  img.addEventListener("error", () => img.remove()); // temporary previews are gone after a restart of the server
  img.src = api.apiURL(path);
  frame.append(img);
  return frame;
}

/** A preview. @param {Picture | null} [image] */
export const picture = (image) => framed(image ? `/view?${new URLSearchParams({ ...image })}` : null);
