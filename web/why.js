// One line on the node: what was decided in the last run, and why.
import { make, picture } from "./page.js";
import { addPanel } from "./panel.js";
import { reportBars } from "./report.js";

const panels = new WeakMap(); // node -> function that replaces what its line shows

/** Gives the node its line. */
export function addWhy(node) {
  const content = make("div", "personalq-why");
  content.setAttribute("role", "status");
  content.append(make("span", "personalq-dim", "Not run yet."));
  panels.set(node, addPanel(node, "personalq_why", content));
}

/** Shows what a run said: the sentence, the chosen model's picture, near misses and notices. */
export function showWhy(node, said) {
  const text = make("div", "personalq-why-text");
  text.append(make("div", "", said.why));
  for (const near of said.near ?? []) text.append(make("div", "personalq-dim", `Without "${near.dropped}": ${near.name}`));
  for (const notice of said.notices ?? []) text.append(make("div", "personalq-dim", notice));
  if (said.report) text.append(...reportBars(said.report));
  const image = said.card?.image;
  panels.get(node)?.(...(image ? [picture(image), text] : [text]));
}
