// The folders of models as a tree that folds; a press on a name shows the models of that folder and of those below it.
import { button, make } from "./page.js";
import { say } from "./texts.js";

/** @type {Set<string>} folders that are open, remembered while the tab is closed */
const opened = new Set();

/**
 * @param {[string, number][]} folders name -> models in it and below, in the order of names
 * @param {string} current @param {(folder: string) => void} choose
 */
export function folderTree(folders, current, choose) {
  const tree = make("div", "tree");
  Object.assign(tree, { role: "group", ariaLabel: say("folders") });
  /** @type {Map<string, HTMLElement>} */
  const places = new Map();
  for (const [name, count] of [/** @type {[string, number | string]} */ (["", ""]), ...folders]) {
    const cut = name.lastIndexOf("/");
    const choice = button("folder", name.slice(cut + 1) || say("all_folders"), () => {
      tree.querySelector("[aria-pressed=true]")?.setAttribute("aria-pressed", "false");
      choice.ariaPressed = "true";
      choose(name);
    });
    choice.ariaPressed = String(name === current);
    choice.append(make("span", "dim", ` ${count}`));
    const place = make("details", "branch", make("summary", "", choice));
    place.open = opened.has(name);
    place.addEventListener("toggle", () => (place.open ? opened.add(name) : opened.delete(name)));
    (places.get(name.slice(0, Math.max(0, cut))) ?? tree).append(place);
    if (name) places.set(name, place);
  }
  return tree;
}
