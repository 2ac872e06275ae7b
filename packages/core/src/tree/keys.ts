// Names things by what they are, never by when they came. A node's key is a hash of its path; a draw's key says
// which sample of which node, taken how; a draw's seed follows from both. Two runs that look at the same place see the
// same keys, whatever arrived first. 53 bits: exact in JSON, eight bytes in memory, and among the nodes of
// ten thousand searches of 200 nodes two alike are a chance of 1 in 4,500, in the same search of 1 in 10^11.

import { hash, wideHash } from '../base/random.ts';
import type { Manner, Sampling, Step } from './step.ts';

export type NodeKey = number;
export type DrawKey = number;
/** Hash of all that shapes a draw besides its place. */
export type FormKey = number;

export const rootKey: NodeKey = wideHash('root');

/** Hashes token ids (the text if there are none), end, turn and, if a draw named a model, the writer: ids differ between vocabularies. */
export function nodeKey(
  parent: NodeKey,
  { tokenIds, text, end, turn, model }: Pick<Step, 'tokenIds' | 'text' | 'end' | 'turn' | 'model'>,
): NodeKey {
  const place = turn === undefined ? parent : turnKey(parent, turn);
  return model === undefined ? wideHash(place, tokenIds ?? text, end) : wideHash(place, tokenIds ?? text, end, model);
}

/** Key of a path with a user turn behind it: a step below has the same key as one that carries the turn itself. */
export function turnKey(parent: NodeKey, turn: string): NodeKey {
  return wideHash(parent, 'turn', turn);
}

export function formKey({ temperature, topP, topK, minP, extras }: Sampling, manner?: Manner): FormKey {
  const known = `${temperature} ${topP ?? ''} ${topK ?? ''} ${minP ?? ''}`;
  const plain = wideHash(extras === undefined ? known : `${known} ${JSON.stringify(extras)}`);
  if (manner === undefined) return plain;
  const { suffix = '', stops = [], maxTokens = 0, sources = [], opening } = manner;
  const { after, proposed, choices, byUser, model } = manner;
  const rarely = { after, proposed, choices, byUser, model };
  const rare = Object.values(rarely).some((each) => each !== undefined) ? [rarely] : [];
  const put = opening === undefined ? [] : [{ opening }];
  return wideHash(plain, JSON.stringify([suffix, stops, maxTokens, ...sources, ...rare, ...put]));
}

export function drawKey(node: NodeKey, index: number, form: FormKey): DrawKey {
  return wideHash(node, index, form);
}

/** Siblings have seeds in a row, so that they can share one request. */
export function drawSeed(searchSeed: number, node: NodeKey, index: number, form: FormKey): number {
  return (hash(searchSeed, node, form) & 0x7fffffff) + index;
}

/** Lower keys come first: an order that no arrival changes, for siblings and for ties. */
export function byKey(a: { readonly key: NodeKey }, b: { readonly key: NodeKey }): number {
  return a.key - b.key;
}
