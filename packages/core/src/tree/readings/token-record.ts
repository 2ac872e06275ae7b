// The tokens of a path as the model read and wrote them, for training on it. A step's record is a change to the tokens of the
// path above it: what is the same is said once, and what a template, a turn or a forced opening has put there carries no loss.

import type { Node } from '../node.ts';
import type { Step, TokenRecord } from '../step.ts';

export interface TokenPath {
  readonly ids: number[];
  /** 1 where the model drew the token, 0 where it was composed. */
  readonly mask: number[];
  /** Under the model before temperature and cuts; 0 where the mask is. */
  readonly logprobs: number[];
  readonly nodes: number[];
}

/** Tokens that a step adds to those above it: composed ones first. */
export type StepTokens = Pick<TokenPath, 'ids' | 'mask' | 'logprobs'> & { readonly kept: number };

export function stepTokens({ record, tokenIds, logprobs }: Step): StepTokens | undefined {
  const written = record?.written ?? tokenIds;
  if (record === undefined || written === undefined || logprobs?.length !== written.length) return undefined;
  const { kept, composed = [], drawn = written.length } = record;
  const isDrawn = written.map((_, at) => (at < drawn ? 1 : 0));
  return {
    kept,
    ids: [...composed, ...written],
    mask: [...composed.map(() => 0), ...isDrawn],
    logprobs: [...composed.map(() => 0), ...logprobs.map((each, at) => (at < drawn ? each : 0))],
  };
}

/** From the prompt to the end of the node's step; undefined where the log does not say. */
export function pathTokens(node: Node): TokenPath | undefined {
  if (node.parent === undefined) return promptTokens(node);
  const own = node.step && stepTokens(node.step);
  const path = own?.kept === 0 ? nothing : pathTokens(node.parent);
  if (path === undefined || own === undefined) return undefined;
  const { kept } = own;
  return {
    ids: [...path.ids.slice(0, kept), ...own.ids],
    mask: [...path.mask.slice(0, kept), ...own.mask],
    logprobs: [...path.logprobs.slice(0, kept), ...own.logprobs],
    nodes: [...path.nodes.slice(0, kept), ...own.ids.map(() => node.id)],
  };
}

/** The tokens of a path behind its prompt, which is all that stands before the first token that the model drew. */
export function completionTokens(node: Node): (TokenPath & { readonly promptIds: number[] }) | undefined {
  const path = pathTokens(node);
  const first = path?.mask.indexOf(1) ?? -1;
  if (path === undefined || first < 0) return undefined;
  const { ids, mask, logprobs, nodes } = path;
  return {
    promptIds: ids.slice(0, first),
    ids: ids.slice(first),
    mask: mask.slice(first),
    logprobs: logprobs.slice(first),
    nodes: nodes.slice(first),
  };
}

const nothing: TokenPath = { ids: [], mask: [], logprobs: [], nodes: [] };

/** The first of the root's children to be recorded says what all of them read. */
function promptTokens(root: Node): TokenPath | undefined {
  const first = root.children.find(({ step }) => step?.record?.kept === 0 && step.record.composed !== undefined);
  const ids = [...(first?.step?.record?.composed ?? [])];
  return first && { ids, mask: ids.map(() => 0), logprobs: ids.map(() => 0), nodes: ids.map(() => root.id) };
}

/** The record of a step below a node. `read`: the tokens before it; `drawn`: how many of its tokens were drawn, where not all. */
export function recordOf(parent: Node, read: readonly number[], given: Step, step: Step, drawn?: number): TokenRecord {
  // Equal ids are other words to another model.
  const isOther = parent.step !== undefined && parent.step.model !== step.model;
  const above = isOther ? [] : (pathTokens(parent)?.ids ?? []);
  const differs = above.findIndex((id, at) => id !== read[at]);
  const kept = differs < 0 ? above.length : differs;
  return {
    kept,
    ...(kept === read.length ? {} : { composed: read.slice(kept) }),
    ...(step.tokenIds === undefined && given.tokenIds !== undefined ? { written: given.tokenIds } : {}),
    ...(drawn === undefined ? {} : { drawn }),
  };
}
