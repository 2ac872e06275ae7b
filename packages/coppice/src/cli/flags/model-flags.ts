// The flags of a model, embedded or on servers, and of the reward model: the same in every command that answers questions. Everything else
// of a model is a setting (settings.ts).

import type { OwnModelOptions } from '@coppice/core/answering';
import { raise } from '@coppice/core/base';
import { budgetKnob, nest, overlay, type PlainTree } from '@coppice/core/config';
import { remoteVerifierKinds } from '@coppice/core/verifier';
import type { Flags } from './help.ts';
import { refuseTwice } from './knob-flags.ts';
import { flagOf, given, oneOf } from './options.ts';

const text = 'string';

export const serverFlags = {
  engine: { type: text, multiple: true, takes: 'URL', about: 'a server of the generator; once per replica' },
  'key-env': { type: text, takes: 'NAME', about: 'environment variable with its key' },
  verifier: { type: text, multiple: true, takes: 'URL', about: 'a server of the reward model; once per replica' },
  kind: { type: text, takes: 'NAME', about: 'its format: qwen-prm, math-shepherd, judge, … (qwen-prm)' },
  'verifier-key-env': { type: text, takes: 'NAME', about: 'environment variable with its key', rare: true },
  embedder: {
    type: text,
    takes: 'URL',
    about: 'a server of an embedding model (/v1/embeddings): answers are compared by what they mean',
    rare: true,
  },
} as const satisfies Flags;

export const modelFlags = {
  model: {
    type: text,
    takes: 'NAME|FILE',
    about: "a shipped name, a GGUF file, or the server's name (sapling)",
  },
  prm: { type: text, takes: 'NAME|PATH', about: 'reward model here: a file or an adapter, exact or none' },
  ...serverFlags,
  budget: { type: text, takes: 'N', about: 'strands open at a time (16, of the shipped models 32)', rare: true },
} as const satisfies Flags;

/** Flags that are short for one setting. */
const shorthands = {
  'key-env': 'engine.apiKeyEnv',
  'verifier-key-env': 'verifier.apiKeyEnv',
  budget: 'budget',
} as const;

type Values = { readonly [Flag in keyof typeof modelFlags]?: string | string[] | undefined };

/** `set`: the model's part of `--set`. */
export function readModelFlags(values: Values, needsVerifier: boolean, set: PlainTree = {}): OwnModelOptions {
  const { engine, verifier, ...rest } = values;
  const flags = rest as Readonly<Record<string, string | undefined>>;
  if (verifier !== undefined && flags.prm !== undefined)
    raise('bad-setting', '--prm and --verifier both name a reward model; give one of them');
  requireServer('key-env', '--engine', flags['key-env'], engine);
  requireServer('verifier-key-env', '--verifier', flags['verifier-key-env'], verifier);
  const settings = withShorthands(flags, set);
  return {
    needsVerifier,
    settings,
    ...given('model', flags.model, String),
    ...(engine === undefined ? {} : { engines: engine as string[] }),
    ...(verifier === undefined ? {} : { verifiers: verifier as string[] }),
    ...given('kind', flags.kind, (value) => oneOf('kind', value, remoteVerifierKinds)),
    ...given('prm', flags.prm, String),
    ...given('embedder', flags.embedder, String),
  };
}

function requireServer(flag: string, server: string, value: string | undefined, urls: unknown): void {
  if (value === undefined || urls !== undefined) return;
  raise('bad-setting', `--${flag} belongs to ${server} URL, which is not given`);
}

function withShorthands(flags: Readonly<Record<string, string | undefined>>, set: PlainTree): PlainTree {
  let settings = set;
  for (const [flag, name] of Object.entries(shorthands)) {
    const said = flags[flag];
    if (said === undefined) continue;
    const path = name.split('.');
    if (path.reduce<unknown>((tree, key) => (tree as PlainTree | undefined)?.[key], set) !== undefined)
      refuseTwice(flag, name);
    const value = flag === 'budget' ? flagOf('budget', said, budgetKnob) : said;
    settings = overlay(settings, nest(path, value));
  }
  return settings;
}
