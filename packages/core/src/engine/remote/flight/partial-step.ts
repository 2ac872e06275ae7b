// A step while it is written: folds a stream's updates, cuts at delimiters, and becomes a Step. Drops tokens that disagree with the text.

import type { Step, StepEnd, Thought } from '../../../tree/step.ts';
import type { GenerationUsage, ThinkingMarks } from '../../engine.ts';
import type { Update, WireUsage } from '../dialect/dialect.ts';
import { piecesOf } from './pieces.ts';

export class PartialStep {
  readonly #delimiters: readonly string[];
  readonly #cuts: boolean;
  #text = '';
  #tokenIds: number[] = [];
  #logprobs: number[] = [];
  #written: string[] = [];
  #entropy: number | undefined;
  #updates = 0;
  #end: StepEnd | undefined;
  #usage: WireUsage | undefined;
  #wholeTokens = true;
  isCut = false;
  readonly #maxTokens: number;
  /** Longest delimiter, the end of the text in which one may begin, and whether the text is blank so far. */
  readonly #longest: number;
  #tail = '';
  #isBlank = true;
  readonly #marks: ThinkingMarks | undefined;
  #thought: { readonly chars: number; readonly isOpen: boolean } | undefined;
  #thoughtUpdates = 0;

  /** `marks`: tags around thinking from a field of its own; without them it is left out. */
  constructor(
    delimiters: readonly string[],
    cuts: boolean,
    marks?: ThinkingMarks,
    maxTokens: number = Number.POSITIVE_INFINITY,
  ) {
    this.#delimiters = delimiters;
    this.#longest = Math.max(0, ...delimiters.map((each) => each.length));
    this.#cuts = cuts;
    this.#marks = marks;
    this.#maxTokens = maxTokens;
  }

  get ended(): boolean {
    return this.#end !== undefined;
  }

  get counted(): boolean {
    return this.#usage?.generatedTokens !== undefined;
  }

  get tokens(): number {
    return this.#tokenIds.length > 0 ? this.#tokenIds.length : this.#usage?.generatedTokens || this.#updates;
  }

  /** Gives the text that an update added. After the end only usage is taken. */
  fold(told: Update): string {
    if (told.usage !== undefined) this.#usage = told.usage;
    if (this.#end !== undefined) return '';
    const update = this.#withinLimit(told);
    const before = update.cumulative ? this.#text : '';
    const known = this.#text.length;
    const marked = this.#marks === undefined ? '' : this.#think(update, this.#marks);
    this.#take(update);
    if (update.appended !== undefined) this.#text += update.appended;
    if (update.end !== undefined) this.#end = update.end;
    const added = update.cumulative ? addedTo(before, this.#text) : marked + update.text + (update.appended ?? '');
    if (this.#longest === 0) return added;
    const isBlank = update.cumulative ? this.#text.slice(0, known).trim() === '' : this.#isBlank;
    const from = Math.max(0, known - this.#longest + 1);
    const seen = update.cumulative ? this.#text.slice(from) : this.#tail + added;
    // A server that stops at a delimiter may still send the rest of the last token.
    const at = this.#cuts || update.end === 'delimiter' ? this.#firstCut(seen, isBlank) : undefined;
    if (at === undefined) {
      this.#tail = this.#longest === 1 ? '' : seen.slice(1 - this.#longest);
      this.#isBlank = isBlank && seen.trim() === '';
      return added;
    }
    // A chunk of several tokens may run past the delimiter.
    if (seen.slice(at).trim() !== '') this.#wholeTokens = false;
    this.#text = this.#text.slice(0, from + at);
    this.#end = 'delimiter';
    return added.slice(0, Math.max(0, from + at - known));
  }

  step(): Step {
    const tokenIds = this.#tokensAgree() ? this.#tokenIds : undefined;
    const meanLogprob = finiteMean(this.#logprobs);
    const logprobs = meanLogprob === undefined ? undefined : this.#logprobs;
    const tokens = this.isCut ? this.#maxTokens : (this.#usage?.generatedTokens ?? this.tokens);
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
      ...(this.#entropy === undefined ? {} : { entropy: this.#entropy }),
      ...(this.#thought === undefined ? {} : { thought: this.#thoughtOf(this.#thought, tokens) }),
    };
  }

  /** Counted by the server or, after a cut or a cancel, what arrived. */
  usage(promptTokens: number | undefined): GenerationUsage {
    const told = this.#usage;
    const prompt = told?.promptTokens ?? promptTokens ?? 0;
    const cachedTokens = Math.min(told?.cachedTokens ?? 0, prompt);
    return {
      computedTokens: prompt - cachedTokens,
      cachedTokens,
      generatedTokens: told?.generatedTokens ?? (this.isCut ? this.#maxTokens : this.tokens),
    };
  }

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
    const { text, tokenIds = [], logprobs = [], written = [] } = update;
    this.#entropy ??= update.entropy;
    const isNew = update.cumulative === true;
    this.#text = isNew ? text : this.#text + text;
    this.#tokenIds = appended(isNew ? [] : this.#tokenIds, tokenIds);
    this.#logprobs = appended(isNew ? [] : this.#logprobs, logprobs);
    this.#written = appended(isNew ? [] : this.#written, written);
    if (text !== '' || tokenIds.length > 0) this.#updates += 1;
  }

  /** Cuts an update at the token limit, and at as many characters as so many tokens may have. A server without tokens is held by updates too. */
  #withinLimit(update: Update): Update {
    const most = this.#maxTokens;
    const { text, thought = '', tokenIds = [], logprobs, written, cumulative = false } = update;
    const size = text.length + thought.length;
    const had = cumulative ? { tokens: 0, chars: 0 } : { tokens: this.#tokenIds.length, chars: this.#text.length };
    const isMany = tokenIds.length === 0 && this.#updates >= most;
    const mostChars = isMany ? leastCharsPerToken * most : firstChars + mostCharsPerToken * most;
    let kept = Math.min(size, Math.max(0, mostChars - had.chars));
    if (tokenIds.length > most - had.tokens)
      kept = Math.min(kept, Math.floor((size * (most - had.tokens)) / tokenIds.length));
    if (kept >= size && tokenIds.length <= most - had.tokens) return update;
    this.isCut = true;
    if (kept > 0) this.#wholeTokens = false;
    const tokens = Math.max(0, Math.min(tokenIds.length, most - had.tokens));
    const first = <Item>(items: readonly Item[] = []) => items.slice(0, tokens);
    return {
      ...update,
      text: wholeCharacters(text, Math.max(0, kept - thought.length)),
      ...(thought === '' ? {} : { thought: wholeCharacters(thought, kept) }),
      tokenIds: first(tokenIds),
      logprobs: first(logprobs),
      written: written && first(written),
      appended: '',
      end: 'length',
    };
  }

  /** A delimiter with nothing before it does not count: a blank step is no step. */
  #firstCut(seen: string, isBlank: boolean): number | undefined {
    const from = isBlank ? seen.length - seen.trimStart().length : 0;
    const ends = this.#delimiters.flatMap((each) => {
      const at = seen.indexOf(each, from);
      return at < 0 ? [] : [at + each.length];
    });
    return ends.length === 0 ? undefined : Math.min(...ends);
  }

  /** Some servers leave tokens out of a stream, so their own count decides. */
  #tokensAgree(): boolean {
    const told = this.#usage?.generatedTokens;
    return this.#wholeTokens && this.#tokenIds.length > 0 && (told === undefined || told === this.#tokenIds.length);
  }
}

/** Updates of a server without tokens may be parts of tokens while they are this short. */
const leastCharsPerToken = 6;
/** A single token may be a long run of blanks. */
const firstChars = 256;
const mostCharsPerToken = 64;

function wholeCharacters(text: string, chars: number): string {
  const isSplit = /[\ud800-\udbff]/.test(text.charAt(chars - 1)) && chars < text.length;
  return text.slice(0, isSplit ? chars - 1 : chars);
}

function addedTo(before: string, text: string): string {
  return text.startsWith(before) ? text.slice(before.length) : '';
}

function finiteMean(values: readonly number[]): number | undefined {
  let sum = 0;
  for (let at = 0; at < values.length; at += 1) sum += values[at]!;
  return values.length > 0 && Number.isFinite(sum) ? sum / values.length : undefined;
}

/** The first list is taken as it came: most steps come in one piece. */
function appended<Item>(had: Item[], more: readonly Item[]): Item[] {
  if (had.length === 0) return more as Item[];
  for (const each of more) had.push(each);
  return had;
}
