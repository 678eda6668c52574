// Helpers that make elements of the page. Text is always set as text, never as markup: some of it comes from files and models.
import { api } from "../../scripts/api.js";
import { app } from "../../scripts/app.js";

/**
 * A new element. Each part is a child, which may be a text, or an object of the element's properties; false is no part. A handler
 * among these that returns false cancels its event.
 * `classes` are class names without our prefix, which is added.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {string} [classes] @param {...(Node | string | false | Properties<HTMLElementTagNameMap[Tag]>)} parts
 */
export function make(tag, classes = "", ...parts) {
  const element = document.createElement(tag);
  element.className = classes.replace(/\S+/g, "personalq-$&");
  for (const part of parts) {
    if (typeof part === "string" || part instanceof window.Node) element.append(part);
    else Object.assign(element, part);
  }
  return element;
}

/** @template T @typedef {Partial<Omit<T, "style">> & {style?: string}} Properties */
/** @typedef {Node | string | false | Properties<HTMLDivElement>} Part */

/** A line, or a block, in the colour of what matters less. @param {...Part} parts */
export const dim = (...parts) => make("div", "dim", ...parts);

/** A name above what is said of it. @param {string} name @param {...string} details */
export const withDetails = (name, ...details) => make("span", "text", make("span", "label", name), ...details.map((detail) => make("span", "dim", detail)));

/** Elements that belong together, with what a screen reader calls them. @param {string} classes @param {string} ariaLabel @param {...Part} parts */
export const group = (classes, ariaLabel, ...parts) => make("div", classes, { role: "group", ariaLabel }, ...parts);

/** A text that a screen reader reads out when it changes. @param {string} [classes] @param {...Part} parts */
export const status = (classes, ...parts) => make("div", classes, { role: "status" }, ...parts);

/** An outermost element; our styles apply to everything inside it. @param {string} name @param {...Part} parts */
export function outermost(name, ...parts) {
  const element = make("div", name, ...parts);
  element.classList.add("personalq");
  return element;
}

/** Adds our styles to the page. */
export const addStyles = () => document.head.append(make("link", "", { rel: "stylesheet", href: new URL("style.css", import.meta.url).href }));

/** Keeps a key from acting on the graph: Delete would delete the node. @param {KeyboardEvent} event */
export const keepKey = (event) => event.ctrlKey || event.metaKey || event.stopPropagation();

/** The message of an error. @param {unknown} error */
export const reason = (error) => (error instanceof Error ? error.message : String(error));

/** Says something in ComfyUI's corner of the page. @param {"success" | "error"} severity @param {string} detail */
export const tell = (severity, detail) => app.extensionManager.toast.add({ severity, summary: "PersonalQ", detail, life: 8000 });

/**
 * Asks in ComfyUI's dialog; whether the answer is yes, null if there is none. "dirtyClose" asks whether to save; `denyLabel` says no to that.
 * @param {string} title @param {string} message @param {"delete" | "dirtyClose"} [type] @param {string} [denyLabel]
 */
export const sure = (title, message, type, denyLabel) => app.extensionManager.dialog.confirm({ title, message, type, denyLabel });

/** @param {unknown} error */
export const complain = (error) => tell("error", reason(error));

/** Does something, and complains if that fails. @param {() => unknown} act */
export async function attempt(act) {
  try {
    await act();
  } catch (error) {
    complain(error);
  }
}

/**
 * A button that calls `act` when it is pressed, unless it is still at it, and complains if that fails.
 * @param {string} classes @param {string} text @param {() => unknown} act @param {...(Node | string | false | Properties<HTMLButtonElement>)} parts
 */
export function button(classes, text, act, ...parts) {
  let busy = false; // not `disabled`, which would take its focus
  const onclick = async () => {
    if (busy) return;
    busy = true;
    await attempt(act);
    busy = false;
  };
  return make("button", classes, { type: "button", onclick }, text, ...parts);
}

/**
 * A frame with a picture from the server, loaded when it comes into view; it stays empty if there is none.
 * @param {string | null} path @param {string} [classes]
 */
export function framed(path, classes = "") {
  const frame = make("span", `picture ${classes}`);
  if (!path) return frame;
  const onerror = () => img.remove(); // temporary previews are lost when the server restarts
  const img = make("img", "", { alt: "", loading: "lazy", draggable: false, onerror, src: api.apiURL(path) });
  frame.append(img);
  return frame;
}

/** A preview picture in its frame. @param {Picture | null} [image] */
export const picture = (image) => framed(image ? `/view?${new URLSearchParams({ ...image })}` : null);

/** The server's answer to a POST of JSON. @param {string} path @param {unknown} body @param {Record<string, string>} [headers] */
export const post = (path, body, headers) =>
  api.fetchApi(path, { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(body) });
