// Opens the embedded engine of a configuration, and reward models in this process. A generator without a chat template gets plain text. A
// reward model that does not ship is first tried on plain steps, and is never read at the end of an answer.

import { type OpenModel, type PrmSection, triedReward } from '@coppice/core/answering';
import { raise } from '@coppice/core/base';
import { type ModelConfig, type Opening, type OpenParts, type OpenVerifier, shippedModel } from '@coppice/core/config';
import { stepReading, UnreadEnd, type Verifier } from '@coppice/core/verifier';
import { adapterAt, readingBeside } from '../adapter/adapter-place.ts';
import { LlamaPrm } from '../prm/llama-prm.ts';
import { isShipped, modelPath } from '../shipped-models.ts';
import { type Embedded, openEmbedded } from './embedded.ts';
import { embeddedLines } from './embedded-lines.ts';
import type { EmbeddedSection } from './embedded-section.ts';

type LocalPrm = PrmSection & { readonly model: string };

export async function openEmbeddedModel(own: EmbeddedSection, { config, log }: Opening): Promise<OpenParts> {
  const { model, contextTokens: kvTokens, kvBytes, threads, gpu, draft } = own;
  const reward = localPrm(config.verifier);
  const embedded = await openEmbedded({
    model,
    prm: reward?.model ?? 'none',
    ...(kvBytes === undefined ? { kvTokens } : { kvBytes }),
    gpu,
    ...(threads === undefined ? {} : { threads }),
    ...(draft === undefined ? {} : { draft }),
  });
  const { kvSplit, note, engine } = embedded;
  if (draft !== undefined || /, on the [CG]PU/.test(note)) log.info('embedded', { model: config.name, note });
  if (kvSplit !== undefined) log.info('kv-split', { model: config.name, kvBytes, ...kvSplit });
  const { verifier: _, ...parts } = embeddedModel(config, embedded);
  if (reward === undefined || embedded.verifier === undefined) return parts;
  try {
    const isKnown = embedded.isSelfDescribed || (isShipped(model) && isShipped(reward.model));
    const { verifier, warnings } = await withTrial(reward, { verifier: embedded.verifier, isKnown }, config);
    return { ...parts, verifier, warnings: [...(parts.warnings ?? []), ...warnings] };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

function localPrm(wanted: ModelConfig['verifier']): LocalPrm | undefined {
  const { kind, urls, model = 'sapling-prm' } = wanted as PrmSection;
  return kind === 'prm' && urls === undefined ? { ...(wanted as PrmSection), model } : undefined;
}

export function embeddedModel(config: ModelConfig, embedded: Embedded): OpenModel {
  const { engine, verifier, note, scoredBy } = embedded;
  const form = shippedModel(config.engine)?.form;
  const isBare = form === undefined && !engine.info.hasChatTemplate;
  return {
    config,
    engine,
    verifier,
    note,
    scoredBy,
    form,
    warnings: isBare
      ? [
          `${config.engine.model} has no chat template: questions are put to it as plain paragraphs, so it may go on writing instead of answering`,
        ]
      : [],
    describe: (kvBytes, measures) => embeddedLines(embedded, kvBytes, measures),
    measure: async (budgetMs) => ({
      engine: await engine.measure(budgetMs),
      ...(verifier && { verifier: await verifier.measure(budgetMs) }),
    }),
  };
}

/** A GGUF reward model in this process beside a generator on a server: it reads the steps as text. */
export async function openPairedPrm(wanted: LocalPrm, { config }: Opening): Promise<OpenVerifier> {
  const model = modelPath(wanted.model);
  if (adapterAt(model) !== undefined) {
    const remedy = 'serve it beside its base, or take its base as the generator (--model FILE.gguf)';
    raise('bad-setting', `the reward model ${model} is an adapter and has no weights of its own: ${remedy}`);
  }
  const verifier = await LlamaPrm.open({ ...stepReading, ...readingBeside(model), model });
  return withTrial(wanted, { verifier, isKnown: false }, config);
}

interface OpenedPrm {
  readonly verifier: Verifier;
  /** The model was trained for the task, or declares how it is read: no trial needed. */
  readonly isKnown: boolean;
}

/** Only the shipped reward models were trained to be read at the end of an answer; the others are not read there. */
async function withTrial(
  { model }: LocalPrm,
  { verifier, isKnown }: OpenedPrm,
  { delimiters }: ModelConfig,
): Promise<Required<OpenVerifier>> {
  try {
    if (!isKnown) return await triedReward(model, verifier, delimiters[0]!);
    return { verifier: isShipped(model) ? verifier : new UnreadEnd(verifier), warnings: [] };
  } catch (error) {
    await verifier.close();
    throw error;
  }
}
