// Lines of `doctor` about the embedded engine: models, measured decode times, the fastest batch, and the split of a KV memory between
// generator and verifier (P4 §4.3).

import type { MeasuredPoints } from '@coppice/core/cost';
import type { LlamaPrm } from '../prm/llama-prm.ts';
import type { ThreadInfo } from '../thread/thread-messages.ts';
import { type Embedded, measuredSplit, splitText } from './embedded.ts';

/** `measures`: also measure times, which takes a while. */
export async function embeddedLines(embedded: Embedded, kvBytes: number, measures: boolean): Promise<string[]> {
  const { engine, verifier } = embedded;
  const names = [modelLine(engine.info), ...(verifier === undefined ? [] : [rewardLine(verifier)])];
  if (!measures) return names;
  const cost = await engine.measure();
  const split = await measuredSplit(embedded, kvBytes);
  const { batch, tokensPerSecond } = fastestBatch(cost);
  return [
    ...names,
    `ms per decode over ${cost.contexts.join(', ')} cached tokens:`,
    ...cost.decode.map(([size, ...times]) => `${size} sequences: ${times.map((ms) => ms.toFixed(2)).join(', ')}`),
    `prefill: ${cost.prefill.map(([tokens, ms]) => `${tokens} tokens ${ms.toFixed(1)} ms`).join(', ')}`,
    `fastest at ${batch} sequences: ${Math.round(tokensPerSecond)} tokens/s over ${cost.contexts[0]} cached tokens`,
    splitText(kvBytes, split),
  ];
}

function rewardLine({ sharesWeights, capabilities, info, measured }: LlamaPrm): string {
  const what = sharesWeights ? `${capabilities.name}: on the same weights` : modelLine(info);
  if (measured === undefined) return `${what}; reward-model.json does not say what it was measured on`;
  const sets = measured.sets.map(({ name, auc, questions }) => `${name} (${questions} questions, AUC ${auc})`);
  return `${what}; measured ${measured.date} on ${sets.join(', ')}, steps cut by ${measured.steps}`;
}

/** The knee: the smallest batch within 5 % of the highest throughput at the first measured context. */
function fastestBatch({ decode }: MeasuredPoints): { readonly batch: number; readonly tokensPerSecond: number } {
  const rates = decode.map(([batch, ms]) => ({ batch, tokensPerSecond: (1000 * batch) / ms! }));
  const most = Math.max(...rates.map(({ tokensPerSecond }) => tokensPerSecond));
  return rates.find(({ tokensPerSecond }) => tokensPerSecond >= 0.95 * most)!;
}

function modelLine({
  name,
  parameters,
  bytes,
  contextTokens,
  vocabularySize,
  kvTokenBytes,
  library,
}: ThreadInfo): string {
  const size = `${(parameters / 1e6).toFixed(1)} M parameters, ${(bytes / 1048576).toFixed(1)} MiB`;
  const limits = `context ${contextTokens}, vocabulary ${vocabularySize}, ${kvTokenBytes} KV bytes a token`;
  return `${name}: ${size}, ${limits}, libllama ${library}`;
}
