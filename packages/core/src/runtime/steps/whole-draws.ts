// Whole draws: a path that nothing reads before its end is asked for in one request and cut into its steps afterwards. Pure.

import type { EngineCapabilities, StepNeeds } from '../../engine/engine.ts';
import { endsPath } from '../../program/growth.ts';
import type { Node } from '../../tree/node.ts';
import { thoughtOf } from '../../tree/readings/thinking.ts';
import type { Step } from '../../tree/step.ts';
import type { SearchRequest } from '../search/request.ts';
import type { Flight, Search } from '../search/search.ts';

/** Tokens of a path before one has ended. */
const usualPath = 512;
/** A longer path is drawn in pieces: it is what a crash may lose. */
const mostTokens = 4096;

/**
 * A draw that the token budget may not pay for comes in steps, so that the longest path can be finished with the rest; so does what a
 * model known to think writes, since its thinking is ended from outside.
 */
export function drawsWhole({ request, tree, flights }: Search, needs: StepNeeds, engine: EngineCapabilities): boolean {
  const { program, rules, thinking, shape, limits } = request;
  const reads = needs.tokens || needs.logprobs || needs.pieces || needs.record;
  const isRead = reads || rules.prunes.length > 0 || shape !== undefined;
  if (!engine.wholes || program.paths?.drawnWhole !== true || isRead || limits.money !== undefined) return false;
  const { opens = false, switches = false } = engine.thinking ?? {};
  if (thinking !== undefined && (opens || switches || tree.nodes.some(({ step }) => step?.thought))) return false;
  const { endedPaths, endedTokens, tokens } = tree;
  const length = endedPaths === 0 ? usualPath : endedTokens / endedPaths;
  return tokens + (flights.size + 1) * length <= (limits.tokens ?? Number.POSITIVE_INFINITY);
}

/** Most tokens of a whole draw below a node; undefined where one step is all that it may have. */
export function wholeTokensOf({ request, tree }: Search, node: Node): number | undefined {
  const { stepTokens, limits, program, thinking } = request;
  const { maxDepth, maxPathTokens = Number.POSITIVE_INFINITY } = program.paths!;
  const steps = maxDepth - node.depth;
  const left = (limits.tokens ?? Number.POSITIVE_INFINITY) - tree.tokens;
  // A model that turns out to think gets no more of it than it may.
  const most = Math.min(mostTokens, maxPathTokens - node.pathTokens, left, thinking?.maxTokens ?? mostTokens);
  return steps < 2 ? undefined : Math.min(steps * stepTokens, most);
}

/** Asks only for the last score of a path if nothing reads another. */
export function isScored({ search, node, manner, isProbe }: Flight, step: Step): boolean {
  const { program, rules } = search.request;
  if (!program.needsVerifier) return false;
  if (isProbe) return manner?.scored === true;
  const { paths } = program;
  const isEndRead = paths?.drawnWhole && rules.prunes.length === 0 && search.tree.aggregation === 'last';
  return !isEndRead || endsPath(node, step, paths);
}

/** The steps of a whole answer: its thinking, then a step behind each delimiter, as a server would cut them. */
export function stepsOf(whole: Step, { delimiters, thinking }: Pick<SearchRequest, 'delimiters' | 'thinking'>): Step[] {
  const thought = whole.thought ?? (thinking && thoughtOf(whole, false, thinking));
  if (thought === undefined) return cutSteps(whole, delimiters);
  const { chars, tokens } = thought;
  const first: Step = { text: whole.text.slice(0, chars), tokens, meanLogprob: 0, end: 'delimiter', thought };
  if (thought.open || chars === whole.text.length) return [{ ...first, tokens: whole.tokens, end: whole.end }];
  return [first, ...cutSteps({ ...whole, text: whole.text.slice(chars), tokens: whole.tokens - tokens }, delimiters)];
}

/** Tokens are shared out by characters; the end of the answer is one. */
function cutSteps(whole: Pick<Step, 'text' | 'tokens' | 'end'>, delimiters: readonly string[]): Step[] {
  const texts = cut(whole.text, delimiters);
  // A limit that cuts right behind a delimiter leaves nothing to be a step.
  const isCutBehind = whole.end !== 'eos' && texts.length > 1 && texts.at(-1) === '';
  if (isCutBehind) texts.pop();
  const endTokens = whole.end === 'eos' ? Math.min(1, whole.tokens) : 0;
  const perChar = (whole.tokens - endTokens) / whole.text.length;
  let [chars, told] = [0, 0];
  return texts.map((text, at) => {
    chars += text.length;
    const isLast = at === texts.length - 1;
    const tokens = (isLast ? whole.tokens : Math.round(chars * perChar)) - told;
    told += tokens;
    return { text, tokens, meanLogprob: 0, end: isLast && !isCutBehind ? whole.end : 'delimiter' };
  });
}

/** A delimiter with nothing before it does not count: a blank step is no step. Looks at each character once for each delimiter. */
function cut(text: string, delimiters: readonly string[]): string[] {
  const texts: string[] = [];
  const next = delimiters.map(() => -1);
  const word = /\S/g;
  for (let from = 0; ; ) {
    word.lastIndex = from;
    const begins = word.exec(text)?.index ?? text.length;
    let end = Number.POSITIVE_INFINITY;
    delimiters.forEach((each, at) => {
      if (next[at]! < begins) next[at] = found(text.indexOf(each, begins));
      end = Math.min(end, next[at]! + each.length);
    });
    if (end === Number.POSITIVE_INFINITY) return [...texts, text.slice(from)];
    texts.push(text.slice(from, end));
    from = end;
  }
}

function found(at: number): number {
  return at < 0 ? Number.POSITIVE_INFINITY : at;
}
