// What the tab shows, and in which order: two menus, and filters that can be folded away, with the folders as a tree.
import { button, group, make } from "./page.js";
import { named, say } from "./texts.js";

const MENUS = /** @type {const} */ (["kind", "base_model", "subject", "style"]);
const DAYS = /** @type {const} */ (["since", "until"]);
let folded = true;

/**
 * The menus of order and choice, and the filters.
 * @param {Summary} about @param {Record<string, string>} query what is searched for; it is changed @param {() => void} search
 */
export function filters(about, query, search) {
  const changed = (/** @type {string} */ name, /** @type {string} */ value) => {
    query[name] = value;
    draw();
    search();
  };
  /** @param {"select" | "input"} tag @param {TextKey} name @param {...HTMLOptionElement} options */
  const labelled = (tag, name, ...options) => {
    const ariaLabel = say(name);
    const field = make(tag, "", tag === "input" && { type: "date" }, ...options);
    Object.assign(field, { name, ariaLabel, value: query[name] ?? "", onchange: () => changed(name, field.value) });
    return make("label", "filter", make("span", "dim", ariaLabel), field);
  };
  /** A menu, whose first value is what holds without it. @param {"sort" | "only"} name @param {...string} values */
  const menu = (name, ...values) => labelled("select", name, ...values.map((one, place) => new Option(named(one, `${name}_`), place ? one : "")));
  const values = MENUS.map((name) => {
    const known = about.filters[name] ?? [];
    const options = known.map(([value, count, called = name === "kind" ? named(value) : value]) => new Option(`${called} (${count})`, value));
    return labelled("select", name, new Option("–", ""), ...options);
  });
  const days = DAYS.map((name) => labelled("input", name));
  const tree = folderTree(about.folders, query.folder ?? "", (folder) => changed("folder", folder));
  const panel = make("div", "filters", ...values, ...days, tree);
  const fold = button("plain", "", () => {
    folded = !folded;
    draw();
  });
  const draw = () => {
    const used = [...MENUS, ...DAYS, "folder"].filter((name) => query[name]).length;
    fold.textContent = used ? say("filters_on", used) : say("filters");
    fold.ariaExpanded = String(!folded);
    panel.hidden = folded;
  };
  draw();
  return [make("div", "shown", menu("sort", "best", "newest", "name", "used"), menu("only", "all", "favourites", "used", "recipe"), fold), panel];
}

/** @type {Set<string>} folders that are open, remembered while the tab is closed */
const opened = new Set();

/**
 * @param {[string, number][]} folders name -> models in it and below, in the order of names
 * @param {string} current @param {(folder: string) => void} choose
 */
function folderTree(folders, current, choose) {
  const tree = group("tree", say("folders"));
  /** @type {Map<string, HTMLElement>} */
  const places = new Map();
  for (const [name, count] of [/** @type {[string, number | string]} */ (["", ""]), ...folders]) {
    const cut = name.lastIndexOf("/");
    const choice = button("folder", name.slice(cut + 1) || say("all_folders"), () => {
      tree.querySelector("[aria-pressed=true]")?.setAttribute("aria-pressed", "false");
      choice.ariaPressed = "true";
      choose(name);
    }, { ariaPressed: String(name === current) }, make("span", "dim", ` ${count}`));
    const ontoggle = () => void (place.open ? opened.add(name) : opened.delete(name));
    const place = make("details", "branch", { open: opened.has(name), ontoggle }, make("summary", "", choice));
    (places.get(name.slice(0, Math.max(0, cut))) ?? tree).append(place);
    if (name) places.set(name, place);
  }
  return tree;
}
