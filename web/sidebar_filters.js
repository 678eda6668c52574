// What the tab shows, and in which order: two menus, and filters that can be folded away.
import { folderTree } from "./folder_tree.js";
import { button, make } from "./page.js";
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
  /** @template {HTMLInputElement | HTMLSelectElement} Field @param {Field} field @param {string} name @param {string} label */
  const labelled = (field, name, label) => {
    Object.assign(field, { name, value: query[name] ?? "", ariaLabel: label });
    field.addEventListener("change", () => changed(name, field.value));
    return make("label", "filter", make("span", "dim", label), field);
  };
  /** @param {string} name @param {string} label @param {HTMLOptionElement[]} options */
  const menu = (name, label, options) => {
    const field = make("select");
    field.append(...options);
    return labelled(field, name, label);
  };
  const order = ["best", "newest", "name", "used"].map((one) => new Option(named(one, "sort_"), one === "best" ? "" : one));
  const which = ["all", "favourites", "used"].map((one) => new Option(named(one, "only_"), one === "all" ? "" : one));
  const values = MENUS.map((name) => {
    const known = about.filters[name] ?? [];
    const options = known.map(([value, count]) => new Option(`${about.names[value] ?? named(value)} (${count})`, value));
    return menu(name, say(name), [new Option("–", ""), ...options]);
  });
  const days = DAYS.map((name) => labelled(Object.assign(make("input"), { type: "date" }), name, say(name)));
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
  return [make("div", "shown", menu("sort", say("sort"), order), menu("only", say("only"), which), fold), panel];
}
