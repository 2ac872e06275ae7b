// A step while it is being written: folds a stream's updates, cuts at a delimiter where the server could not be asked to,
// and becomes a Step. Tokens and text must say the same thing, or the tokens are dropped and the text alone counts.

import type { Step, StepEnd, Thought } from '../../../tree/step.ts';
import type { GenerationUsage, ThinkingMarks } from '../../engine.ts';
import type { Update, WireUsage } from '../dialect/dialect.ts';
import { piecesOf } from './pieces.ts';

export class PartialStep {
  readonly #delimiters: readonly string[];
  /** The server was not asked to stop at them, so we cut. */
  readonly #cuts: boolean;
  #text = '';
  #tokenIds: number[] = [];
  #logprobs: number[] = [];
  #written: string[] = [];
  #confidences: number[] = [];
  #entropy: number | undefined;
  #updates = 0;
  #end: StepEnd | undefined;
  #usage: WireUsage | undefined;
  #wholeTokens = true;
  readonly #marks: ThinkingMarks | undefined;
  /** Characters of thinking so far, and whether its end is still to be marked. */
  #thought: { readonly chars: number; readonly isOpen: boolean } | undefined;
  #thoughtUpdates = 0;

  /** `marks`: what is put around thinking that comes in a field of its own; without them it is left out. */
  constructor(delimiters: readonly string[], cuts: boolean, marks?: ThinkingMarks) {
    this.#delimiters = delimiters;
    this.#cuts = cuts && delimiters.length > 0;
    this.#marks = marks;
  }

  get ended(): boolean {
    return this.#end !== undefined;
  }

  /** The server has told what it counted. */
  get counted(): boolean {
    return this.#usage?.generatedTokens !== undefined;
  }

  get text(): string {
    return this.#text;
  }

  /** Tokens seen so far; where the server sends none, its chunks. */
  get tokens(): number {
    return this.#tokenIds.length > 0 ? this.#tokenIds.length : this.#updates;
  }

  /** Folds one update and gives the text that it added. After the end only the usage is taken. */
  fold(update: Update): string {
    if (update.usage !== undefined) this.#usage = update.usage;
    if (this.#end !== undefined) return '';
    const before = this.#text;
    const marked = this.#marks === undefined ? '' : this.#think(update, this.#marks);
    this.#take(update);
    if (update.appended !== undefined) this.#text += update.appended;
    if (update.end !== undefined) this.#end = update.end;
    // A server that stops at a delimiter may still send what else the last token held.
    const mayCut = this.#cuts || update.end === 'delimiter';
    if (mayCut) this.#cut(before.length);
    // What was added is known where nothing was cut; to look for it would read the whole text with every token.
    if (!mayCut && update.cumulative !== true) return marked + update.text + (update.appended ?? '');
    return this.#text.startsWith(before) ? this.#text.slice(before.length) : '';
  }

  step(): Step {
    const tokenIds = this.#tokensAgree() ? this.#tokenIds : undefined;
    const meanLogprob = finiteMean(this.#logprobs);
    const logprobs = meanLogprob === undefined ? undefined : this.#logprobs;
    const tokens = this.#usage?.generatedTokens ?? this.tokens;
    return {
      text: this.#text,
      tokens: Math.max(tokens, tokenIds?.length ?? 0),
      meanLogprob: meanLogprob ?? 0,
      end: this.#end ?? 'length',
      ...(tokenIds === undefined ? {} : { tokenIds }),
      ...(logprobs === undefined ? {} : { logprobs }),
      ...(this.#written.length > 0 && this.#written.length === logprobs?.length
        ? { pieces: piecesOf(this.#text, this.#written) }
        : {}),
      ...(this.#confidences.length > 0 && this.#confidences.every(Number.isFinite)
        ? { confidences: this.#confidences }
        : {}),
      ...(this.#entropy === undefined ? {} : { entropy: this.#entropy }),
      ...(this.#thought === undefined ? {} : { thought: this.#thoughtOf(this.#thought, tokens) }),
    };
  }

  /** What the server counted or, where it has not (a cut, a cancel), what arrived: then marked as not exact. */
  usage(promptTokens: number | undefined): GenerationUsage {
    const told = this.#usage;
    const prompt = told?.promptTokens ?? promptTokens ?? 0;
    const cachedTokens = Math.min(told?.cachedTokens ?? 0, prompt);
    return {
      computedTokens: prompt - cachedTokens,
      cachedTokens,
      generatedTokens: told?.generatedTokens ?? this.tokens,
      exact: told?.promptTokens !== undefined && told.generatedTokens !== undefined && this.#end !== undefined,
    };
  }

  /** Thinking goes into the text between its tags; the first word of the answer ends it. */
  #think({ thought = '', text }: Update, { open, close }: ThinkingMarks): string {
    let added = '';
    if (thought !== '') {
      added = `${this.#thought === undefined ? `${open}\n` : ''}${thought}`;
      this.#thoughtUpdates += 1;
      this.#updates += 1;
    }
    const isOpen = thought !== '' || this.#thought?.isOpen === true;
    const ends = isOpen && text !== '';
    if (ends) added += `\n${close}\n\n`;
    this.#text += added;
    if (added !== '') this.#thought = { chars: this.#text.length, isOpen: !ends };
    return added;
  }

  #thoughtOf({ chars, isOpen }: { readonly chars: number; readonly isOpen: boolean }, tokens: number): Thought {
    const counted =
      this.#usage?.thoughtTokens ?? Math.round((tokens * this.#thoughtUpdates) / Math.max(1, this.#updates));
    return isOpen ? { chars, tokens, open: true } : { chars, tokens: Math.min(tokens, counted) };
  }

  #take(update: Update): void {
    const { text, tokenIds = [], logprobs = [], written = [], confidences = [] } = update;
    this.#entropy ??= update.entropy;
    const isNew = update.cumulative === true;
    this.#text = isNew ? text : this.#text + text;
    this.#tokenIds = appended(isNew ? [] : this.#tokenIds, tokenIds);
    this.#logprobs = appended(isNew ? [] : this.#logprobs, logprobs);
    this.#written = appended(isNew ? [] : this.#written, written);
    this.#confidences = appended(isNew ? [] : this.#confidences, confidences);
    if (text !== '' || tokenIds.length > 0) this.#updates += 1;
  }

  /** Ends the step after a delimiter. A chunk of several tokens may run past it and say more than the text. */
  #cut(knownLength: number): void {
    const at = this.#firstCut(knownLength);
    if (at === undefined) return;
    if (this.#text.slice(at).trim() !== '') this.#wholeTokens = false;
    this.#text = this.#text.slice(0, at);
    this.#end = 'delimiter';
  }

  /** The end of the first delimiter that has something before it: a blank step is no step. */
  #firstCut(knownLength: number): number | undefined {
    const longest = Math.max(...this.#delimiters.map((each) => each.length));
    const blank = this.#text.length - this.#text.trimStart().length;
    const from = Math.max(blank, knownLength - longest + 1, 0);
    const ends = this.#delimiters
      .map((each) => ({ each, at: this.#text.indexOf(each, from) }))
      .filter(({ at }) => at >= 0)
      .map(({ each, at }) => at + each.length);
    return ends.length === 0 ? undefined : Math.min(...ends);
  }

  /** Some servers leave tokens out of a stream (a character made of several), so their own count is the judge. */
  #tokensAgree(): boolean {
    const told = this.#usage?.generatedTokens;
    return this.#wholeTokens && this.#tokenIds.length > 0 && (told === undefined || told === this.#tokenIds.length);
  }
}

/** Undefined of none, and where one is not a number. */
function finiteMean(values: readonly number[]): number | undefined {
  let sum = 0;
  for (let at = 0; at < values.length; at += 1) sum += values[at]!;
  return values.length > 0 && Number.isFinite(sum) ? sum / values.length : undefined;
}

/** The first list is taken as it came: most steps come in one piece, and an update is decoded for its step alone. */
function appended<Item>(had: Item[], more: readonly Item[]): Item[] {
  if (had.length === 0) return more as Item[];
  for (const each of more) had.push(each);
  return had;
}
