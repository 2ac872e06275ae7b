// An answer in deltas, for dialects that know no other events: what is certain goes out while the search runs, the rest when it has
// ended, so that all of it together is the whole answer. After the first byte a failure can only be a frame.

import type { LoggedEvent } from '../../log/events.ts';
import type { Token } from '../../runtime/parts/options.ts';
import { isFold } from '../../tree/events.ts';
import { type ThinkingTags, thoughtOf, thoughtText } from '../../tree/thinking.ts';
import { ApiError } from '../http/api-error.ts';
import { chosenPath, repeatsStep, splitPath } from '../result/chosen-path.ts';
import { Progress } from '../result/progress.ts';
import { SharedText } from '../result/shared-text.ts';
import { resultFor, type ToldEnd } from '../result/told-end.ts';
import { isHeldBack } from '../result/unaccepted.ts';
import type { ClientResult } from '../wire/result-json.ts';
import type { ErrorJson } from '../wire/search-json.ts';
import type { StreamFrame, Teller, ToldSearch } from './dialect.ts';

export type Delta = Readonly<Record<string, string>>;

/** The words of one dialect for it. `search`: the last of a chain. */
export interface DeltaWords {
  begin(): StreamFrame[];
  delta(delta: Delta): StreamFrame[];
  last(search: ToldSearch, result: ClientResult): StreamFrame[];
  failed(error: ErrorJson): StreamFrame[];
  whole(search: ToldSearch, result: ClientResult): unknown;
}

/** `takesProgress`: the client is shown what the search does, among the reasoning. */
export function deltaTeller(search: ToldSearch, isStream: boolean, words: DeltaWords, takesProgress = false): Teller {
  const deltas: Deltas = isStream ? deltasOf(search) : { rest: wholeAnswer };
  const { event, token, rest } = isStream && takesProgress ? withProgress(search, deltas) : deltas;
  const say = (deltas: readonly Delta[]) => deltas.flatMap((delta) => words.delta(delta));
  const end = (told: ToldEnd) => {
    const result = resultFor(search.last.facts.plan, told);
    if ('error' in result) return words.failed(result.error);
    const more = rest(search.last, result);
    return more === undefined ? words.failed(brokenOff()) : [...say(more), ...words.last(search.last, result)];
  };
  const answer = (told: ToldEnd) => {
    const result = resultFor(search.last.facts.plan, told);
    return 'error' in result ? result : words.whole(search.last, result);
  };
  return {
    begin: () => words.begin(),
    ...(event && { event: (entry: LoggedEvent) => say(event(entry)) }),
    ...(token && { token: (each: Token) => say(token(each)) }),
    end,
    answer,
  };
}

/** Between lines of the reasoning, whose unfinished ones wait; none once the answer has begun, and none of a single path. */
function withProgress({ facts: { plan }, fold }: ToldSearch, deltas: Deltas): Deltas {
  if (plan.mode === 'direct' || plan.program === 'greedy') return deltas;
  const progress = new Progress(fold, plan);
  let waiting = '';
  let answers = false;
  const take = (told: readonly Delta[]): Delta[] =>
    told.flatMap((delta) => {
      answers ||= delta.reasoning_content === undefined;
      const reasoning = waiting + (delta.reasoning_content ?? '');
      const isDone = answers || reasoning.endsWith('\n');
      waiting = isDone ? '' : reasoning;
      const said = isDone && reasoning !== '' ? [{ reasoning_content: reasoning }] : [];
      return delta.reasoning_content === undefined ? [...said, delta] : said;
    });
  const event = (entry: LoggedEvent): Delta[] => {
    const told = take(deltas.event?.(entry) ?? []);
    const line = answers ? undefined : progress.next(entry.atMs);
    return line === undefined ? told : [...told, { reasoning_content: line }];
  };
  const rest: Deltas['rest'] = (last, result) => {
    const more = deltas.rest(last, result);
    return more && (waiting === '' ? more : [{ reasoning_content: waiting }, ...more]);
  };
  return { ...deltas, event, rest };
}

function brokenOff(): ErrorJson {
  return new ApiError('engine_failed', 'the engine failed in the middle of its answer').body;
}

interface Deltas {
  event?(entry: LoggedEvent): Delta[];
  token?(token: Token): Delta[];
  /** What the final answer adds to what has gone out; undefined where it contradicts that. */
  rest(last: ToldSearch, result: ClientResult): Delta[] | undefined;
}

/** What is given only where it is accepted is not certain before the end. */
function deltasOf(search: ToldSearch): Deltas {
  const { plan } = search.facts;
  if (plan.shape?.isCall) return { rest: wordsBeforeCall };
  if (isHeldBack(plan)) return { rest: wholeAnswer };
  return plan.mode === 'direct' ? tokenDeltas(search) : treeDeltas(search);
}

/** The call itself is put together from the whole answer, and goes out with the end. */
function wordsBeforeCall(search: ToldSearch, result: ClientResult): Delta[] {
  const whole = wholeAnswer(search, result);
  return result.outcome.complete ? whole.filter(({ content }) => content === undefined) : whole;
}

function wholeAnswer(_: ToldSearch, { texts }: ClientResult): Delta[] {
  const { content, reasoning_content: reasoning, refusal } = texts;
  return [
    ...(reasoning === null ? [] : [{ reasoning_content: reasoning }]),
    ...(content === null || content === '' ? [] : [{ content }]),
    ...(refusal === null ? [] : [{ refusal }]),
  ];
}

function treeDeltas({ facts: { plan }, fold }: ToldSearch): Deltas {
  const shared = new SharedText(fold, plan);
  const inline = plan.reasoning === 'inline';
  const toDelta = ({ kind, text }: { kind: 'reasoning' | 'content'; text: string }): Delta =>
    kind === 'content' || inline ? { content: text } : { reasoning_content: text };
  let sent = 0;
  const take = () => {
    const deltas = shared.take().map(toDelta);
    for (const { content = '' } of deltas) sent += content.length;
    return deltas;
  };
  return {
    event: ({ event }) => (isFold(event) ? take() : []),
    rest: (last, { outcome, texts }) => {
      const path = chosenPath(plan, last.fold);
      if (!shared.agrees(path)) return undefined;
      const pieces = shared.finish(path).map(toDelta);
      // What has gone out as reasoning stands for the answer as well where the end of its path brings no text.
      const isRepeated = repeatsStep(plan, path, outcome.complete);
      const repeat = isRepeated ? splitPath(plan, path, outcome.complete).content : restOf(texts.content, pieces, sent);
      return repeat === '' ? pieces : [...pieces, { content: repeat }];
    },
  };
}

/** Words of the answer that stand in no step: a chain was asked for it in the middle of its thinking. */
function restOf(content: string | null, pieces: readonly Delta[], sent: number): string {
  const given = pieces.reduce((sum, piece) => sum + (piece.content?.length ?? 0), sent);
  return content?.slice(given) ?? '';
}

/** One generation goes out token by token; a stop string is held back until it is known to be one. */
function tokenDeltas({ facts: { plan } }: ToldSearch): Deltas {
  const tags = plan.reasoning === 'inline' ? undefined : plan.thinking;
  const held = [...plan.delimiters, ...(tags === undefined ? [] : [tags.open, tags.close])];
  const hold = Math.max(0, ...held.map((each) => each.length));
  let text = '';
  let index: number | undefined;
  const sent = { content: 0, reasoning_content: 0 };
  /** What `content` and thinking add to what has gone out. */
  const more = (said: SplitText): Delta[] =>
    (['reasoning_content', 'content'] as const).flatMap((field) => {
      const added = said[field].slice(sent[field]);
      sent[field] += added.length;
      return added === '' ? [] : [{ [field]: added }];
    });
  return {
    token: (token) => {
      index ??= token.index;
      if (token.index !== index) return [];
      text += token.text;
      return more(splitText(text.slice(0, Math.max(0, text.length - hold)), tags));
    },
    rest: (_, { texts }) => {
      const [content, thought] = [texts.content ?? '', texts.reasoning_content ?? ''];
      const before = splitText(text, tags);
      const agrees = content.startsWith(before.content.slice(0, sent.content));
      if (!agrees || !thought.startsWith(before.reasoning_content.slice(0, sent.reasoning_content))) return undefined;
      return more({ content, reasoning_content: thought });
    },
  };
}

interface SplitText {
  readonly content: string;
  readonly reasoning_content: string;
}

/** One generation so far, its thinking apart. */
function splitText(text: string, tags: (ThinkingTags & { readonly opened: boolean }) | undefined): SplitText {
  const step = { text, tokens: 1, meanLogprob: 0, end: 'length' } as const;
  const thought = tags && thoughtOf(step, tags.opened, tags);
  if (tags === undefined || thought === undefined) return { content: text, reasoning_content: '' };
  const content = thought.open ? '' : text.slice(thought.chars).replace(/^\n+/, '');
  return { content, reasoning_content: thoughtText({ ...step, thought }, tags) };
}
