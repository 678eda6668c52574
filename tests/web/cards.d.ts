// What the server answers under /personalq, by names that the files in web/ use.

interface ModelCard {
  id: string;
  name: string;
  kind: string;
  version: string | null;
  created: string | null;
  base_model: string | null;
  words: string; // as a prompt needs them: the trigger, or the name of a card without one
  triggered: boolean; // whether they are a trigger
  favourite: boolean;
  request?: string; // of a recipe
  chosen?: string; // the text that pins the models of a recipe on Repo Check-in
  why?: [string, string][]; // where in the card which word of the search was met
}
/** A value, and what it was read from. */
interface Said {
  value: any;
  source: string | null;
}
/** The prompt of an example picture: of the card's preview with this number, or of one on the model's page. */
type Example = { prompt: string; preview?: number; link?: string | null };
type CardDetails = ModelCard & {
  fields: Record<string, Said>;
  facts: Record<string, Said>;
  size: number | null;
  sha256: string | null;
  page: string | null;
  captions: [string, number][];
  examples: Example[];
  can_open: boolean;
  uses?: string[]; // the models of a recipe, a line for each
  file?: Record<string, unknown>; // a recipe as its file says it
};
type CardPage = { total: number; cards: ModelCard[]; unmet: string[]; near: [string, string[]][] };
/** What a scan found. */
interface Summary {
  total: number;
  unreadable: number;
  notices: { file: string; why: string }[];
  filters: Record<string, [value: string, models: number, name?: string][]>;
  folders: [string, number][];
}
type LoadCards = (offset: number) => Promise<CardPage>;
type SettingsState = { values: Record<string, any>; offered: Record<string, any[]> };
/** Of the model that ranks by meaning; `done` and `total` are bytes, `why` is said where it failed. */
type WeightsState = { step: "here" | "missing" | "fetching" | "failed"; done: number; total: number; why: string | null };
