// What the server answers under /personalq, by names that the files in web/ use.

interface ModelCard {
  id: string;
  name: string;
  kind: string;
  version: string | null;
  created: string | null;
  base_model: string | null;
  subjects: string[];
  styles: string[];
  words: string; // as a prompt needs them: the trigger, or the name of a card without one
  triggered: boolean; // whether they are a trigger
  chosen: string; // the text that pins the model on Repo Check-in
}
/** A value, and what it was read from. */
interface Said {
  value: any;
  source: string | null;
}
type CardDetails = ModelCard & { fields: Record<string, Said>; facts: Record<string, Said> };
type CardPage = { total: number; cards: ModelCard[] };
type LoadCards = (offset: number) => Promise<CardPage>;
type ShowSettings = (state: { values: Record<string, any>; offered: Record<string, any[]> }) => void;
/** Of the model that ranks by meaning; `done` and `total` are bytes, `why` is said where it failed. */
type WeightsState = { step: "here" | "missing" | "fetching" | "failed"; done: number; total: number; why: string | null };
