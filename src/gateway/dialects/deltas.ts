// An answer in deltas, for dialects that know no other events: what is certain goes out while the search runs, the rest when it has
// ended, so that all of it together is the whole answer. After the first byte a failure can only be a frame.

import type { LoggedEvent } from '../../log/events.ts';
import type { Token } from '../../runtime/options.ts';
import { isFold } from '../../tree/events.ts';
import { ApiError } from '../http/api-error.ts';
import { chosenPath, repeatsStep, splitPath } from '../result/chosen-path.ts';
import { SharedText } from '../result/shared-text.ts';
import { resultFor, type ToldEnd } from '../result/told-end.ts';
import { isHeldBack } from '../result/unaccepted.ts';
import type { ClientResult } from '../wire/result-json.ts';
import type { ErrorJson } from '../wire/search-json.ts';
import type { StreamFrame, Teller, ToldSearch } from './dialect.ts';
import { type SpokenPieces, SpokenText } from './spoken-text.ts';

export type Delta = Readonly<Record<string, string>>;

/** The words of one dialect for it. `search`: the last of a chain. */
export interface DeltaWords {
  begin(): StreamFrame[];
  delta(delta: Delta): StreamFrame[];
  last(search: ToldSearch, result: ClientResult): StreamFrame[];
  failed(error: ErrorJson): StreamFrame[];
  whole(search: ToldSearch, result: ClientResult): unknown;
}

export function deltaTeller(search: ToldSearch, isStream: boolean, words: DeltaWords): Teller {
  const { event, token, rest }: Deltas = isStream ? deltasOf(search) : { rest: wholeAnswer };
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
  const spoken = new SpokenText(plan.reasoning === 'inline' ? undefined : plan.thinking, plan.delimiters);
  let index: number | undefined;
  const sent = { reasoning_content: '', content: '' };
  const give = (pieces: SpokenPieces): Delta[] =>
    (['reasoning_content', 'content'] as const).flatMap((field) => {
      sent[field] += pieces[field];
      return pieces[field] === '' ? [] : [{ [field]: pieces[field] }];
    });
  return {
    token: (token) => {
      index ??= token.index;
      return token.index === index ? give(spoken.add(token.text)) : [];
    },
    rest: (_, { texts }) => {
      const [content, thought] = [texts.content ?? '', texts.reasoning_content ?? ''];
      if (!content.startsWith(sent.content) || !thought.startsWith(sent.reasoning_content)) return undefined;
      return give({
        reasoning_content: thought.slice(sent.reasoning_content.length),
        content: content.slice(sent.content.length),
      });
    },
  };
}
