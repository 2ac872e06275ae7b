// The flags that say which model a command works with, its own or one on servers, and which reward model: the same in every
// command that answers questions.

import type { OwnModelOptions } from '../../answering/own-model.ts';
import { raise } from '../../base/fault.ts';
import { budgetKnob, calibrationSetting, checkKnob, engineKnobs, readingKnob } from '../../config/machine-knobs.ts';
import { remoteVerifierKinds } from '../../verifier/remote/open-verifier.ts';
import { flagOf, given, oneOf } from './options.ts';

const text = { type: 'string' } as const;
const list = { type: 'string', multiple: true } as const;

/** For node:util's parseArgs. */
export const modelOptions = {
  model: text,
  engine: list,
  'key-env': text,
  prm: text,
  reading: text,
  good: text,
  bad: text,
  marker: text,
  verifier: list,
  kind: text,
  'verifier-key-env': text,
  embedder: text,
  'embedder-model': text,
  'embedder-key-env': text,
  check: text,
  budget: text,
  'step-prompt': text,
  delimiter: text,
  [calibrationSetting.name]: text,
  draft: text,
  gpu: text,
  threads: text,
  'kv-tokens': text,
  'kv-bytes': text,
} as const;

export const calibrationUsage = `  --calibration FILE    ${calibrationSetting.why.replace(', and behind', ',\n                        and behind')}`;

export const modelUsage = `  --model NAME|FILE     sapling, sapling-sudoku, sapling-ledger (they ship with coppice) or any GGUF file;
                        with --engine, what the server calls it
  --engine URL          a server of the generator instead of the embedded engine; once per replica
  --key-env NAME        environment variable with its key
  --prm NAME|FILE       reward model in this process, exact (the checkers of the shipped tasks) or none;
                        sapling-prm beside sapling, exact beside the other shipped generators, else none
  --reading NAME        what the reward model is read for: ${readingKnob.values.join(', ')} (${readingKnob.default})
  --good, --bad TEXT    its verdicts, one token each, where they are others than the reading's
  --marker TEXT         appended to a step before it is read, for reward models trained with one
  --verifier URL        a server of the reward model instead; once per replica
  --kind NAME           what that is: ${remoteVerifierKinds.join(', ')} (qwen-prm)
  --verifier-key-env NAME
  --embedder URL        a server of an embedding model (/v1/embeddings): open answers are grouped by what they mean
  --embedder-model, --embedder-key-env NAME
  --check NAME          ${checkKnob.values.join(', ')} (lines for the shipped models, else none):
                        ${checkKnob.why}
  --step-prompt TEXT    system message for models that are not shipped
  --delimiter TEXT      what ends a step (an empty line; \\n is understood)
  --budget N            strands open at a time (16)
${calibrationUsage}
  --draft NAME|FILE     a small model of the same vocabulary that drafts tokens; tried at the start, used where it pays
  --gpu NAME            what the embedded engine computes on: ${engineKnobs.gpu.values.join(', ')} (${engineKnobs.gpu.default})
  --threads N           compute threads per model (1)
  --kv-tokens N         cells of each KV cache (${engineKnobs.contextTokens.default})
  --kv-bytes N          memory of both caches together, split by what the models cost here; measures for some seconds`;

type Values = { readonly [Flag in keyof typeof modelOptions]?: string | string[] | undefined };

export function readModelFlags(values: Values, needsVerifier: boolean): OwnModelOptions {
  const { engine, verifier, ...rest } = values;
  const flags = rest as Readonly<Record<string, string | undefined>>;
  if (verifier !== undefined && flags.prm !== undefined)
    raise('bad-setting', '--prm and --verifier both name a reward model; give one of them');
  if (engine !== undefined) refuseEmbedded(flags);
  return {
    needsVerifier,
    ...given('model', flags.model, String),
    ...(engine === undefined ? {} : { engines: engine as string[] }),
    ...(verifier === undefined ? {} : { verifiers: verifier as string[] }),
    ...given('keyEnv', flags['key-env'], String),
    ...given('verifierKeyEnv', flags['verifier-key-env'], String),
    ...given('kind', flags.kind, (value) => oneOf('kind', value, remoteVerifierKinds)),
    ...rewardFlags(flags),
    ...embedderFlags(flags),
    ...given('check', flags.check, (value) => flagOf('check', value, checkKnob)),
    ...given('stepPrompt', flags['step-prompt'], String),
    ...given('calibration', flags.calibration, String),
    ...given('delimiters', flags.delimiter, (value) => [unescaped(value)]),
    ...machineFlags(flags),
  };
}

/** What a server decides for itself. */
export function refuseEmbedded({ draft, gpu }: Readonly<Record<string, string | undefined>>): void {
  if (draft !== undefined)
    raise(
      'bad-setting',
      '--draft is for the embedded engine; a server drafts by its own settings (docs/remote-engines.md)',
    );
  if (gpu !== undefined)
    raise('bad-setting', '--gpu is for the embedded engine; what a server computes on is its own affair');
}

function rewardFlags(flags: Readonly<Record<string, string | undefined>>) {
  return {
    ...given('prm', flags.prm, String),
    ...given('reading', flags.reading, (value) => flagOf('reading', value, readingKnob)),
    ...given('good', flags.good, unescaped),
    ...given('bad', flags.bad, unescaped),
    ...given('marker', flags.marker, unescaped),
  };
}

function embedderFlags(flags: Readonly<Record<string, string | undefined>>) {
  const { embedder, 'embedder-model': model, 'embedder-key-env': keyEnv } = flags;
  if (embedder === undefined && (model ?? keyEnv) !== undefined)
    raise(
      'bad-setting',
      `--embedder-${model === undefined ? 'key-env' : 'model'} belongs to --embedder URL, which is not given`,
    );
  return {
    ...given('embedder', embedder, String),
    ...given('embedderModel', model, String),
    ...given('embedderKeyEnv', keyEnv, String),
  };
}

function machineFlags(flags: Readonly<Record<string, string | undefined>>) {
  const { 'kv-tokens': kvTokens, 'kv-bytes': kvBytes } = flags;
  return {
    ...given('budget', flags.budget, (value) => flagOf('budget', value, budgetKnob)),
    ...given('threads', flags.threads, (value) => flagOf('threads', value, engineKnobs.threads)),
    ...given('draft', flags.draft, String),
    ...given('gpu', flags.gpu, (value) => flagOf('gpu', value, engineKnobs.gpu)),
    ...given('contextTokens', kvTokens, (value) => flagOf('kv-tokens', value, engineKnobs.contextTokens)),
    ...given('kvBytes', kvBytes, (value) => flagOf('kv-bytes', value, engineKnobs.kvBytes)),
  };
}

function unescaped(value: string): string {
  return value.replaceAll('\\n', '\n');
}
