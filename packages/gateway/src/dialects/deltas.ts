// Streams an answer as deltas, for dialects without other events. Text that is certain goes out while the search runs, the rest at its
// end; together they are the whole answer. After the first byte a failure can only be a frame.

import type { LoggedEvent } from '@coppice/core/log';
import type { Token } from '@coppice/core/runtime';
import { agentTurn, isFold } from '@coppice/core/tree';
import { ApiError } from '../http/api-error.ts';
import { chosenPath } from '../result/chosen-path.ts';
import { Progress } from '../result/progress.ts';
import { SharedText } from '../result/shared-text.ts';
import { StopCut, stopsOf } from '../result/stop-cut.ts';
import { resultFor, type ToldEnd } from '../result/told-end.ts';
import { isHeldBack } from '../result/unaccepted.ts';
import type { ClientResult } from '../wire/result-json.ts';
import type { ErrorJson } from '../wire/search-json.ts';
import type { StreamFrame, Teller, ToldSearch } from './dialect.ts';
import { ThoughtStream } from './thought-stream.ts';

export type Delta = Readonly<Record<string, string>>;

/** Writes the frames of one dialect. `search`: the last of a chain of successors. */
export interface DeltaWords {
  begin(): StreamFrame[];
  delta(delta: Delta): StreamFrame[];
  last(search: ToldSearch, result: ClientResult): StreamFrame[];
  failed(error: ErrorJson): StreamFrame[];
  whole(search: ToldSearch, result: ClientResult): unknown;
}

/** `takesProgress`: the reasoning includes progress lines. */
export function deltaTeller(search: ToldSearch, isStream: boolean, words: DeltaWords, takesProgress = false): Teller {
  const deltas: Deltas = isStream ? deltasOf(search) : { rest: wholeAnswer };
  const { event, token, silence, rest } = isStream && takesProgress ? withProgress(search, deltas) : deltas;
  const say = (deltas: readonly Delta[]) => deltas.flatMap((delta) => words.delta(delta));
  const end = (told: ToldEnd) => {
    const result = resultFor(search.last.facts.plan, told);
    if ('error' in result) return words.failed(result.error);
    const more = rest(search.last, result);
    if (more !== undefined) return [...say(more), ...words.last(search.last, result)];
    return words.failed(new ApiError('engine_failed', 'the engine failed in the middle of its answer').body);
  };
  const answer = (told: ToldEnd) => {
    const result = resultFor(search.last.facts.plan, told);
    return 'error' in result ? result : words.whole(search.last, result);
  };
  return {
    begin: () => words.begin(),
    ...(event && { event: (entry: LoggedEvent) => say(event(entry)) }),
    ...(token && { token: (each: Token) => say(token(each)) }),
    ...(silence && { silence: () => say(silence()) }),
    end,
    answer,
  };
}

/** Inserts progress between whole lines of reasoning. None once the answer has begun, and none for a single path. */
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
  const silence = () => (answers || waiting !== '' ? [] : [{ reasoning_content: progress.still() }]);
  const rest: Deltas['rest'] = (last, result) => {
    const more = deltas.rest(last, result);
    return more && (waiting === '' ? more : [{ reasoning_content: waiting }, ...more]);
  };
  return { ...deltas, event, silence, rest };
}

interface Deltas {
  event?(entry: LoggedEvent): Delta[];
  token?(token: Token): Delta[];
  silence?(): Delta[];
  /** The rest of the final answer; undefined if it contradicts what was sent. */
  rest(last: ToldSearch, result: ClientResult): Delta[] | undefined;
}

function deltasOf(search: ToldSearch): Deltas {
  const { plan } = search.facts;
  if (plan.shape?.isCall || agentTurn(plan.prompt) || isHeldBack(plan)) return { rest: wholeAnswer };
  return plan.mode === 'direct' ? tokenDeltas(search) : treeDeltas(search);
}

/** Without tool calls: the last frames hold them. */
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
  const cut = new StopCut(stopsOf(plan));
  let told = 0;
  const toDelta = ({ kind, text }: { kind: 'reasoning' | 'content'; text: string }): Delta[] => {
    if (kind === 'reasoning' && !inline) return [{ reasoning_content: text }];
    const content = cut.push(text);
    told += content.length;
    return content === '' ? [] : [{ content }];
  };
  return {
    event: ({ event }) => (isFold(event) ? shared.take().flatMap(toDelta) : []),
    rest: (last, { texts }) => {
      const path = chosenPath(plan, last.fold);
      if (!shared.agrees(path)) return undefined;
      const pieces = shared.finish(path).flatMap(toDelta);
      // Text that was held back for a stop string, was sent as reasoning before, or is in no step.
      const content = texts.content?.slice(told) ?? '';
      return content === '' ? pieces : [...pieces, { content }];
    },
  };
}

function tokenDeltas({ facts: { plan } }: ToldSearch): Deltas {
  const split = new ThoughtStream(plan.reasoning === 'inline' ? undefined : plan.thinking);
  const cut = new StopCut(stopsOf(plan));
  const sent = { reasoning_content: '', content: '' };
  let index: number | undefined;
  const say = (field: keyof typeof sent, text: string): Delta[] => {
    sent[field] += text;
    return text === '' ? [] : [{ [field]: text }];
  };
  return {
    token: (token) => {
      index ??= token.index;
      if (token.index !== index) return [];
      const { thought, said } = split.push(token.text);
      return [...say('reasoning_content', thought), ...say('content', cut.push(said))];
    },
    rest: (_, { texts }) => {
      const [content, thought] = [texts.content ?? '', texts.reasoning_content ?? ''];
      if (!content.startsWith(sent.content) || !thought.startsWith(sent.reasoning_content)) return undefined;
      const left = thought.slice(sent.reasoning_content.length);
      return [...say('reasoning_content', left), ...say('content', content.slice(sent.content.length))];
    },
  };
}
