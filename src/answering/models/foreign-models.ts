// Models that coppice does not ship: what they may lack, and one line about each. A generator without a chat template is used
// as plain text, a reward model is tried on steps whose truth is plain before anything depends on it, and its end is left
// unread.

import { FaultError, raise } from '../../base/fault.ts';
import type { ModelConfig } from '../../config/schema.ts';
import { isShipped, modelPath } from '../../engine/llama/shipped-models.ts';
import { causalFormatNames } from '../../verifier/prm/causal-formats.ts';
import { UnreadEnd } from '../../verifier/prm/unread-end.ts';
import { probeSteps, probeWarning } from '../../verifier/probe-steps.ts';
import { sharedServerWarning } from '../../verifier/remote/shared-server.ts';
import type { Verifier } from '../../verifier/verifier.ts';
import type { VerdictTexts } from './embedded.ts';
import type { OpenModel } from './open-model.ts';

type PrmConfig = Extract<ModelConfig['verifier'], { kind: 'prm' }>;

/** A server that has not scored eight lines by then is busy or loading; `doctor` waits longer. */
const probeMs = 15_000;
const remedy = 'give a process reward model, or the verdicts and the marker it was trained with (good, bad, marker)';

/** The model as it is to be used, with what its user must know. */
export async function examined(model: OpenModel): Promise<OpenModel> {
  const warnings = [...templateWarnings(model), ...sharedWarnings(model), ...(await rewardWarnings(model))];
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

function sharedWarnings({ config: { verifier: wanted }, engine, upstream }: OpenModel): string[] {
  if (wanted.kind !== 'prm' || wanted.urls === undefined || upstream === undefined) return [];
  const dialect = engine.capabilities.name;
  const { urls: verifiers, format: kind } = wanted;
  const warning = sharedServerWarning({ dialect, engines: upstream.urls, verifiers, kind });
  return warning === undefined ? [] : [warning];
}

/** Tried whenever it is opened. That one on a server gives no scores now is no reason not to start. */
async function rewardWarnings({ config, verifier, embedded }: OpenModel): Promise<string[]> {
  const { verifier: wanted, delimiters } = config;
  if (verifier === undefined || wanted.kind !== 'prm' || isAtHome(wanted, config.engine)) return [];
  // It was made to be a reward model and is read as it was trained: the trial has nothing to tell, and sums may not be its subject.
  if (wanted.urls === undefined && embedded?.isSelfDescribed) return [];
  const { urls, format, model } = wanted;
  const name = urls === undefined ? model : `the reward model at ${urls[0]} (${format})`;
  try {
    const rewards = await probeSteps(verifier, delimiters[0]!, urls === undefined ? undefined : probeMs);
    const warning = probeWarning(name, rewards, remedy);
    return warning === undefined ? [] : [warning];
  } catch (error) {
    if (urls === undefined || !(error instanceof FaultError)) throw error;
    return [`${name} could not be tried: ${error.fault.message}; 'coppice doctor' tries it again`];
  }
}

/** The shipped reward models are known, and were trained to be read at the end; a scorer of one's own knows what it wants. */
function isForeign({ urls, model, format }: PrmConfig): boolean {
  return urls === undefined ? !isShipped(model) : format !== 'http';
}

/** A shipped reward model knows what its generator writes, and nothing else. */
function isAtHome(wanted: PrmConfig, engine: ModelConfig['engine']): boolean {
  if (wanted.urls !== undefined) return !isForeign(wanted);
  return isShipped(wanted.model) && engine.kind === 'llama' && isShipped(engine.model);
}

function leavesEndUnread(wanted: ModelConfig['verifier']): boolean {
  return wanted.kind === 'judge' || (wanted.kind === 'prm' && isForeign(wanted));
}

export function verdictsOf({ good, bad, marker }: PrmConfig): VerdictTexts {
  return {
    ...(good === undefined ? {} : { good }),
    ...(bad === undefined ? {} : { bad }),
    ...(marker === undefined ? {} : { marker }),
  };
}

/** Verdicts and marker of one on a server; refused where its format has none to set. */
export function remoteVerdicts(name: string, wanted: PrmConfig): VerdictTexts {
  const verdicts = verdictsOf(wanted);
  const [first] = Object.keys(verdicts);
  if (first === undefined || (causalFormatNames as readonly string[]).includes(wanted.format)) return verdicts;
  const formats = causalFormatNames.join(', ');
  return raise(
    'bad-setting',
    `models: '${name}' sets '${first}' of its verifier; format '${wanted.format}' has no verdicts to set, those that have are ${formats}`,
  );
}

/** A GGUF reward model in this process, beside a generator on a server: it reads the text of the steps. */
export async function openPairedPrm(wanted: PrmConfig): Promise<Verifier> {
  const { LlamaPrm } = await import('../../verifier/prm/llama-prm.ts');
  const { readings } = await import('../../verifier/prm/readings.ts');
  const { adapterAt } = await import('../../engine/llama/adapter/adapter-place.ts');
  const model = modelPath(wanted.model);
  if (adapterAt(model) !== undefined) {
    const remedy = 'serve it beside its base, or take its base as the generator (--model FILE.gguf)';
    raise('bad-setting', `the reward model ${model} is an adapter and has no weights of its own: ${remedy}`);
  }
  return LlamaPrm.open({ ...readings.step, ...verdictsOf(wanted), model });
}
