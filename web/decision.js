// Shows on the node what Repo Check-in decided: the models, the reason, the prompt, and other models to use instead. What a person
// changes there is written into the node's input `chosen`, so that the workflow saves it.
import { app } from "../../scripts/app.js";
import { oneLine, requestIn } from "./answers.js";
import { addQuestion, asksOfRun, isOpen, requestOf, showQuestion } from "./asking.js";
import { namesIn, picking, replaced } from "./chosen.js";
import { chip } from "./chip.js";
import { compare } from "./compare.js";
import { isLinked, setValue, widgetOf } from "./clarify.js";
import { pictureButton, recipeButton } from "./keep.js";
import { nearWords, offeredName, offers } from "./offers.js";
import { button, dim, make, picture, status } from "./page.js";
import { addPanel, intoView } from "./panel.js";
import { promptLine } from "./prompt_line.js";
import { after, remember, step } from "./remember.js";
import { say } from "./texts.js";
import { isChanged, modelsOf, usedModels } from "./used.js";

const SAID = "personalq_said";
export const PROVENANCE = "personalq_made_with"; // the text that pins the models of the last run; the server reads and writes it too

const KEPT = /** @type {const} */ (["request", "by_hand", "why", "prompt", "pieces", "card", "notices", "alike"]);

/** @type {WeakMap<ComfyNode, Panel>} */
const panels = new WeakMap();
/** @param {ComfyNode} node */
const panelOf = (node) => /** @type {Panel} */ (panels.get(node));
/**
 * @typedef {object} Panel
 * @property {HTMLElement} content below the question
 * @property {(...parts: HTMLElement[]) => void} fit makes the node as tall as its panel
 * @property {Decided} [said] by the last run; the workflow saves it without the models to use instead
 * @property {Decided} [preview] what a run would say, while the request is typed
 * @property {Set<string>} open the lines of the models for which those are shown
 * @property {boolean} [pressed] whether the mouse is pressed: then a button that is drawn anew would miss its click
 * @property {boolean} [waits] whether something is to be drawn then
 */

/** What was chosen by hand, for any request. @param {ComfyNode} node */
const chosenText = (node) => (isLinked(node, "chosen") ? "" : String(widgetOf(node, "chosen").value ?? "").trim());

/** The models that were chosen by hand for a request, or for that which stands there. @param {ComfyNode} node */
const chosenNames = (node, request = requestOf(node)) => namesIn(chosenText(node), request);

/** The text of all choices with one, or with none, for its request. @param {ComfyNode} node @param {string} text */
function withChoice(node, text) {
  const said = shownBy(node);
  const request = text ? (requestIn(text.split("\n")[0]) ?? null) : (requestOf(node) ?? said?.request);
  return replaced(chosenText(node), text, request, said?.request === request ? said?.alike : []);
}

/** Adds the panel to the node. @param {ComfyNode} node */
export function addDecision(node) {
  const widget = widgetOf(node, "chosen");
  widget.hidden = true; // for the classic canvas, which has no advanced inputs; Nodes 2.0 reads only the options
  const content = make("div", "decision");
  /** @type {Panel} */
  const panel = { content, open: new Set(), fit: addPanel(node, "personalq_decision", make("div", "asked", addQuestion(node, () => panel.fit()), content), say("panel")) };
  panels.set(node, panel);
  const released = () => {
    if (panel.waits) setTimeout(showSaved, 0, node); // after the click
    panel.pressed = panel.waits = false;
  };
  content.onpointerdown = () => {
    panel.pressed = true;
    window.addEventListener("pointerup", released, { capture: true, once: true });
  };
  content.onpointercancel = released; // a finger scrolls
  after(node, "onConfigure", () => {
    if (panel.said && JSON.stringify(kept(panel.said)) !== JSON.stringify(node.properties[SAID])) delete panel.said; // undone
    showSaved(node);
  });
  after(widget, "callback", () => showSaved(node)); // Nodes 2.0 also calls it on loading
  showSaved(node);
}

/** Shows what a run decided. @param {ComfyNode} node @param {Decided} said */
export function showDecided(node, said) {
  const panel = panelOf(node);
  if (panel.said !== said && isNow(node, said)) {
    openMissing(panel, said);
    delete panel.preview;
  }
  panel.said = said;
  showSaved(node);
}

/** Shows what a run would decide; without it, what the last run decided. @param {ComfyNode} node @param {Decided} [said] */
export function showPreview(node, said) {
  const panel = panelOf(node);
  if (said) openMissing(panel, said);
  panel.preview = said;
  showSaved(node);
  showQuestion(node, shownBy(node));
}

/** Whether a run was made with the request and the choice that stand there now. @param {ComfyNode} node @param {Decided} said */
export const isNow = (node, { request, chosen }) =>
  [undefined, request].includes(requestOf(node)) && (isLinked(node, "chosen") || chosenText(node) === chosen);

/**
 * Whether what the last run decided still stands, now that a run would decide `said`; then it is shown with the models to use instead,
 * which the workflow does not save. In a workflow that was just opened it stands, too, where a question takes its place: a language
 * model may have answered that.
 * @param {any} node @param {Decided} said @param {boolean} opened
 */
export function stands(node, said, opened) {
  const ran = ranBy(node);
  if (!ran || ran.request !== said.request) return false;
  if (ran.prompt !== said.prompt || isChanged(modelsOf(ran), modelsOf(said))) return opened && said.question && said.made_with_here;
  panelOf(node).said = { ...said, ...ran, models: said.models, offers: said.offers };
  return true;
}

/** Shows a sentence above what was decided for the request as it is. @param {ComfyNode} node @param {string} note */
export function showNote(node, note, classes = "dim") {
  const said = shownBy(node);
  const models = modelsNow(node, said);
  show(node, line(note, classes), ...(said && models ? parts(node, said, models, note) : []));
}

/** @param {Panel} panel @param {Decided} said */
const openMissing = ({ open }, said) => modelsOf(said).forEach(({ line, missing, on }) => missing && on && open.add(line));

/** @param {ComfyNode} node @param {Decided} said */
function draw(node, said) {
  const models = usedModels(said, chosenText(node));
  if (models) show(node, ...parts(node, said, models));
  else showChosen(node);
}

/** @param {ComfyNode} node @param {Decided} said @param {UsedModel[]} models @param {string} [note] that stands above @returns {HTMLElement[]} */
function parts(node, said, models, note) {
  const panel = panelOf(node);
  const { card, why, prompt, pieces, notices, offered_name: name } = said;
  /** @type {HTMLElement[]} */
  const found = panel.preview === said ? [previewed()] : [];
  const noted = notices.filter((one) => one !== note).map((one) => dim(one));
  if (said.question) return [...found, ...noted]; // the rest stands above
  const only = models.length === 1 && !models[0].missing;
  const fixed = isLinked(node, "chosen"); // then nothing that is pressed here would count
  const { offers: others, additions } = fixed ? { offers: [] } : said;
  const shown = models.length > 1 || only ? models : []; // one that is not here is named in the reason
  const [mayType, request] = [requestOf(node) !== undefined, widgetOf(node, "request")];
  const chosen = picking(said.request ?? "", models);
  const use = (/** @type {string} */ picks) =>
    mayType ? (/** @type {unknown} */ _, /** @type {string} */ words) => step(() => useFor(node, words, picks)) : undefined;
  const change = (/** @type {Change} */ how) => step(() => setValue(widgetOf(node, "chosen"), withChoice(node, withChange(node, said, how))));
  found.push(...shown.flatMap((model, place) => {
    const act = {
      change: (/** @type {Partial<UsedModel>} */ more) => change((now) => now.with(place, { ...now[place], ...more })),
      fixed,
      swap: () => {
        if (!panel.open.delete(model.line)) panel.open.add(model.line);
        draw(node, said);
        const list = panel.content.querySelector(`[data-place="${place}"] + .personalq-dim + .personalq-offers`);
        if (list) intoView(list);
      },
      remove: () => change((now) => now.toSpliced(place, 1)),
      isOpen: !only && !fixed && panel.open.has(model.line),
      use: use(chosen),
      more: (/** @type {CardDetails} */ card, /** @type {HTMLElement} */ small) => {
        const done = () => small.replaceChildren(...picture((model.image = said.picture)).childNodes);
        return said.picture && model.on ? [pictureButton(card, said.picture, prompt ?? "", done)] : [];
      },
    };
    const element = chip(model, act, only && { beside: undo(node, said), below: line(why) });
    element.dataset.place = `${place}`;
    const instead = (/** @type {Offer} */ { lines = [] }) => choose(node, withChange(node, said, (now) => now.map((one, at) => (lines[at] ? { ...one, line: lines[at], on: at === place || one.on, triggers_said: false } : one))));
    return act.isOpen ? [element, ...offers(say("instead_of", model.name), model.offers, instead, use)] : element;
  }));
  if (!only) found.push(row(line(why), undo(node, said)));
  if (pieces?.length) found.push(promptLine(pieces));
  if (mayType && said.near_words?.length) {
    const words = nearWords(said.near_words, String(request.value), (typed) => step(() => setValue(request, typed)));
    found.push(make("div", "near", dim(say("near_words")), ...words));
  }
  found.push(...noted);
  if (card && name) found.push(offeredName(name, card.name));
  const take = (/** @type {{chosen: string}} */ { chosen }) => choose(node, chosen);
  found.push(...offers(say("add"), additions, take, use, (offer) => say("add_one", offer.name)));
  const comparable = only && others.length > 0 && button("again", say("compare", others.length + 1), () => compare(node, [{ name: models[0].name, chosen }, ...others], take));
  found.push(make("div", "acts", comparable, card !== null && mayType && recipeButton(String(request.value), chosen)));
  found.push(...offers(say(card ? "use_instead" : "use_one"), others, take, use));
  return found;
}

/**
 * Puts a request into the node, with models that are chosen for it; where a link gives the request, for that which is shown, else for any.
 * @param {ComfyNode} node @param {string} request @param {string} chosen the text that picks them
 */
export function useFor(node, request, chosen) {
  const models = chosen.replace(/^for:.*\n/, "");
  const linked = isLinked(node, "request");
  const to = linked ? shownBy(node)?.request : request;
  if (!linked) setValue(widgetOf(node, "request"), request);
  pin(node, to === undefined ? models : `for: ${oneLine(to)}\n${models}`);
}

/** The text that picks the models of the request as it is, also those that it chose by itself. @param {ComfyNode} node */
export function chosenNow(node) {
  const models = modelsNow(node);
  return models ? picking(requestOf(node) ?? "", models) : chosenText(node);
}

/** The models that were decided for the request as it is. @param {ComfyNode} node @param {Decided} [said] */
const modelsNow = (node, said = shownBy(node)) => said?.request && said.request === requestOf(node) && usedModels(said, chosenText(node));

/** @typedef {(now: UsedModel[]) => UsedModel[]} Change */

/** The text that picks the models as they are now, but for a change. @param {ComfyNode} node @param {Decided} said @param {Change} change */
const withChange = (node, said, change) => picking(said.request ?? "", change(usedModels(said, chosenText(node)) ?? modelsOf(said)));

/** Saves in the workflow what a run decided, without the names of other models. @param {any} node @param {Decided} said */
export function keepDecided(node, said) {
  delete node.properties[SAID]; // what an earlier run decided does not stay beside a question
  if (said.made_with) {
    node.properties[PROVENANCE] = said.made_with;
    if (isNow(node, said)) node.properties[SAID] = kept(said);
  }
  remember(node);
}

/** What the last run decided, else what the workflow has saved of that. @param {any} node @returns {Decided | undefined} */
export const ranBy = (node) => panelOf(node).said ?? node.properties[SAID];

/** Forgets what was decided. @param {any} node */
function forget(node) {
  delete node.properties[SAID];
  const panel = panelOf(node);
  delete panel.said;
  delete panel.preview;
  panel.open.clear();
}

/** @param {Decided} said */
const kept = (said) => ({ ...Object.fromEntries(KEPT.map((key) => [key, said[key]])), models: said.models?.map((model) => ({ ...model, offers: [] })), offers: [] });

/** What a preview or the last run decided. @param {ComfyNode} node */
const shownBy = (node) => panelOf(node).preview ?? ranBy(node);

/** Shows what was decided. @param {any} node */
function showSaved(node) {
  const said = shownBy(node);
  if (said && (requestOf(node) !== "" || !said.request)) draw(node, said);
  else if (isOpen(node)) show(node, ...(asksOfRun(node) ? [] : [previewed()]));
  else if (chosenNames(node)) showChosen(node);
  else showNote(node, say("not_run"));
}

/** Shows which models were just chosen by hand, or that the choice was undone. @param {ComfyNode} node */
function showChosen(node) {
  const chosen = chosenNames(node);
  show(node, row(line(say(chosen ? "you_chose" : "request_decides", chosen), "dim"), undo(node)));
}

/**
 * Replaces what the panel shows. If a control in it had the focus, it gets it again, else the first button does; after
 * a model is taken out, the question above does, as a second press of the key would undo the choice.
 * @param {ComfyNode} node @param {...HTMLElement} parts
 */
function show(node, ...parts) {
  const panel = panelOf(node);
  if (panel.pressed) return void (panel.waits = true);
  const focused = panel.content.contains(document.activeElement) && /** @type {HTMLButtonElement} */ (document.activeElement);
  const place = focused && /** @type {HTMLElement | null} */ (focused.closest("[data-place]"))?.dataset.place;
  panel.content.replaceChildren(...parts);
  panel.fit();
  if (!focused) return;
  /** @type {HTMLElement | null} */
  const same = panel.content.querySelector(`[data-place="${place}"] [name="${focused.name}"]`);
  const other = focused.name === "remove" ? panel.content.previousElementSibling : panel.content.querySelector("button:not(.personalq-look)");
  (same ?? /** @type {HTMLElement | null} */ (other))?.focus({ preventScroll: true });
}

/** Says that what is shown has not run. */
const previewed = () => make("div", "preview", make("span", "chip", say("preview")), ` ${say("preview_means")}`);

/** @param {...(HTMLElement | string)} parts */
const row = (...parts) => make("div", "row", ...parts);

/** @param {string} words @param {string} [classes] */
const line = (words, classes = "") => status(`why-text ${classes}`, words);

/** The button that undoes a choice; an empty text if none counts. @param {ComfyNode} node @param {Decided} [said] */
function undo(node, said) {
  if (!chosenText(node) || !(said?.by_hand || chosenNames(node, said?.request))) return "";
  return button("again", say(said?.card === null ? "let_decide" : "decide_again"), () => choose(node, ""), { title: say("undo_title") });
}

/** @param {ComfyNode} node @param {string} chosen */
function choose(node, chosen) {
  const { preview, said } = panelOf(node);
  const again = !preview || said?.request === requestOf(node); // else nothing has run that could run again
  step(() => {
    pin(node, chosen);
    showChosen(node);
  });
  if (again) app.queuePrompt(0, 1);
}

/** Chooses models for the next runs; an empty text undoes the choice for the request as it is. @param {ComfyNode} node @param {string} text */
export function pin(node, text) {
  const all = withChoice(node, text);
  if (all !== chosenText(node)) forget(node); // the last decision no longer applies
  setValue(widgetOf(node, "chosen"), all);
}
