// What the nodes say in a run (nodes/payload.py), by names that the files in web/ use.

/** A file as the host's /view takes it. */
interface Picture {
  filename: string;
  type: string;
  subfolder: string;
}
interface Model {
  name: string;
  kind: string;
  version?: string;
  created?: string;
  base_model?: string;
  base?: string; // what a LoRA that is used is loaded on
  sha256?: string;
  image?: Picture;
}
type Offer = Model & {
  reason: string;
  chosen: string;
  line: string;
  lines?: (string | null)[]; // to use instead of one of several: for each of these the line in its place; null: it stays
};
/** A model in the text of `chosen`; null where the text does not say it. */
interface PickedModel {
  name: string;
  strength: number | null;
  on: boolean;
  triggers: string[] | null;
}
/** A model of a decision, and how it is used; `..._said` is what the user said, the rest is recommended. */
type UsedModel = Model & {
  line: string; // without what the user said of its use
  called?: string | null; // its name in the text that it was picked by
  missing?: boolean;
  on: boolean;
  strength: number;
  strength_said: boolean;
  recommended: number; // for this LoRA alone
  triggers: { text: string; on: boolean }[];
  triggers_said: boolean;
  words: string[]; // of the request that it stands for
  offers: Offer[];
};
interface OfferedName {
  name: string;
  card: string; // its id
  learnt?: boolean; // whether the page has written it into the card
}
/** Of the prompt, or of the request and left out of the prompt. */
interface Piece {
  text: string;
  left_out: boolean;
  trigger?: boolean;
}
interface Decided {
  request?: string;
  chosen?: string; // the models that were picked by hand, as the run was given them
  by_hand?: boolean; // whether they counted
  alike?: string[]; // other requests whose choice counts, as they ask for the same models
  why: string;
  prompt?: string;
  pieces?: Piece[];
  card?: Model;
  models?: UsedModel[];
  made_with?: string;
  made_with_here?: boolean; // of a preview: whether all models of the last run are here, and others would be used now
  offers: Offer[];
  additions?: Offer[];
  notices: string[];
  picture?: Picture; // the last one that the run drew; set by the page
  near_words?: [string, string[]][]; // words that fit nothing, with those of the library that are nearest
  offered_name?: OfferedName | null;
  question?: Omit<Question, "request"> | null;
}
interface Choice {
  label: string;
  shown?: string;
  detail: string;
  image?: Picture | null;
  base_model?: string | null; // as an option of the node's input, where no two choices have the same
}
interface Question {
  request: string;
  text: string;
  choices: Choice[];
  clarify?: string | null; // the execution id of the Clarify that keeps the answers
  unheard?: string[]; // the answers so far that were not understood
  preview?: boolean; // whether it is asked while the request is typed, so that an answer runs nothing
}
/** An answer in a saved text. */
interface Given {
  request: string | null; // null for any
  words: string;
}
interface Sizes {
  bytes_before: number;
  bytes_after: number;
}
type LayerGroup = Sizes & { group: string; bits: number[]; computed: string[]; backends: string[] };
type SizeReport = Sizes & {
  groups: LayerGroup[];
  preset: string;
  device: string;
  precision: { kind: string; why: string };
  seconds: number | null;
};
interface Token {
  label: string;
  rows: string;
  error: number;
  trigger: boolean;
}
interface Explained {
  why: string;
  notes?: string[];
  report?: SizeReport;
  tokens?: Token[];
}
/** A row of a table with bars: `bars` are class -> length up to 1. */
interface BarRow {
  name: string;
  detail?: string;
  bars: Record<string, number>;
  value: string;
  kind?: string;
}
type Locale = typeof import("../../locales/en/main.json");
/** A text of our panels, or of the tab. */
type TextKey = keyof Locale["personalqPanel"] | keyof Locale["personalqTab"];
