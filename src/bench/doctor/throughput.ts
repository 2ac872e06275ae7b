// How much of a server's speed reaches a search, and which flags of the server would change that. Pure.

import type { ServerFacts } from '../../engine/remote/dialect/dialect.ts';
import { type Finding, good, note, warning } from './findings.ts';
import type { CurvePoint } from './knee.ts';

/** Below this share of the server's own speed something is in the way. */
const goodShare = 0.85;
/** vLLM runs so many sequences at a time on most GPUs unless told otherwise. */
const usualLimit = 256;

/** The share of the server's own speed at the largest number of sequences that both curves have. */
export function shareOf(curve: readonly CurvePoint[], alone: readonly CurvePoint[]): number | undefined {
  const pairs = curve.flatMap((point) => {
    const own = alone.find(({ sequences }) => sequences === point.sequences);
    return own === undefined ? [] : [point.tokensPerSecond / own.tokensPerSecond];
  });
  return pairs.at(-1);
}

export function throughputFindings(
  { dialect }: ServerFacts,
  knee: CurvePoint,
  share: number | undefined,
  lastTried: boolean,
): Finding[] {
  const told: Finding[] = [];
  if (share !== undefined) {
    const text = `${share.toFixed(2)} of the server's own speed reaches coppice`;
    told.push(share >= goodShare ? good(text) : warning(`${text}${remedy(dialect)}`));
  }
  if (dialect !== 'vllm') return told;
  if (lastTried && knee.sequences >= usualLimit) {
    told.push(note(`it still gains at ${knee.sequences} sequences: --max-num-seqs above that lets it run more`));
  }
  return [
    ...told,
    note('where clients watch tokens or a program reads log probabilities: --api-server-count 4 --stream-interval 8'),
    note('--async-scheduling, where this version does not schedule so by itself, hides the work between two steps'),
  ];
}

function remedy(dialect: ServerFacts['dialect']): string {
  return dialect === 'vllm' ? ': its front end may be one busy process, which --api-server-count 4 shares out' : '';
}
