// Models that coppice does not ship: what they may lack, and one line about each. A generator without a chat template is used
// as plain text, a reward model is tried on two known steps before anything depends on it, and its end is left unread.

import type { ModelConfig } from '../config/schema.ts';
import { isShipped, modelPath } from '../engine/llama/shipped-models.ts';
import { UnreadEnd } from '../verifier/prm/unread-end.ts';
import { probeSteps, probeWarning } from '../verifier/probe-steps.ts';
import type { Verifier } from '../verifier/verifier.ts';
import type { VerdictTexts } from './embedded.ts';
import type { OpenModel } from './open-model.ts';

type PrmConfig = Extract<ModelConfig['verifier'], { kind: 'prm' }>;

const remedy = 'give a process reward model, or the verdicts and the marker it was trained with (good, bad, marker)';

/** The model as it is to be used, with what its user must know. */
export async function examined(model: OpenModel): Promise<OpenModel> {
  const warnings = [...templateWarnings(model), ...(await rewardWarnings(model))];
  const { verifier } = model;
  const guarded = verifier !== undefined && leavesEndUnread(model.config.verifier);
  return {
    ...model,
    ...(guarded ? { verifier: new UnreadEnd(verifier) } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

function templateWarnings({ config: { engine }, embedded }: OpenModel): string[] {
  if (engine.kind !== 'llama' || isShipped(engine.model) || embedded?.engine.info.hasChatTemplate !== false) return [];
  return [
    `${engine.model} has no chat template: questions are put to it as plain paragraphs, so it may go on writing instead of answering`,
  ];
}

/** Embedded ones are tried whenever they are opened; `coppice doctor` tries those on servers. */
async function rewardWarnings({ config, verifier }: OpenModel): Promise<string[]> {
  const { verifier: wanted, delimiters } = config;
  if (verifier === undefined || wanted.kind !== 'prm' || wanted.urls !== undefined || isShipped(wanted.model))
    return [];
  const warning = probeWarning(wanted.model, await probeSteps(verifier, delimiters[0]!), remedy);
  return warning === undefined ? [] : [warning];
}

/** The shipped reward models were trained to be read at the end; a scorer of one's own knows what it wants. */
function leavesEndUnread(wanted: ModelConfig['verifier']): boolean {
  if (wanted.kind === 'judge') return true;
  return wanted.kind === 'prm' && !isShipped(wanted.model) && (wanted.urls === undefined || wanted.format !== 'http');
}

export function verdictsOf({ good, bad, marker }: PrmConfig): VerdictTexts {
  return {
    ...(good === undefined ? {} : { good }),
    ...(bad === undefined ? {} : { bad }),
    ...(marker === undefined ? {} : { marker }),
  };
}

/** A GGUF reward model in this process, beside a generator on a server: it reads the text of the steps. */
export async function openPairedPrm(wanted: PrmConfig): Promise<Verifier> {
  const { LlamaPrm } = await import('../verifier/prm/llama-prm.ts');
  const { readings } = await import('../verifier/prm/readings.ts');
  return LlamaPrm.open({ ...readings[wanted.reading], ...verdictsOf(wanted), model: modelPath(wanted.model) });
}
