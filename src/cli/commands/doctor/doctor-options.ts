// The options of `coppice doctor`: read once and checked. A bad one is refused in one line that gives the value and what it may be.

import { ownModel } from '../../../answering/own-model.ts';
import { raise } from '../../../base/fault.ts';
import { curveDefaults } from '../../../bench/doctor/step-time.ts';
import { engineKnobs } from '../../../config/machine-knobs.ts';
import type { ModelConfig } from '../../../config/schema.ts';
import { requestKnobs } from '../../../config/vocabulary.ts';
import { exampleServer, type Flags, type Help, helpFlag } from '../../terminal/help.ts';
import { keyOf, modelFlags, readModelFlags, serverFlags } from '../../terminal/model-flags.ts';
import { flagOf, readArguments, whole } from '../../terminal/options.ts';
import { settingHelp } from '../../terminal/setting-help.ts';
import { readSettings, type SettingScope, setFlag, settingNames, settingOfFlag } from '../../terminal/settings.ts';

/** It searches nothing of its own: only what engine and embedder can be told. */
const scope: SettingScope = { search: [], model: (name) => /^(engine|embedder)\./.test(name) };

const modelGroup = {
  model: {
    ...modelFlags.model,
    takes: 'NAME',
    about: 'the model to examine; with --engine, what it must serve (sapling)',
  },
  ...serverFlags,
  ...setFlag,
} as const satisfies Flags;
const examinationGroup = {
  seconds: {
    type: 'string',
    takes: 'N',
    default: String(curveDefaults.seconds),
    about: 'for the step-time probe; 0 leaves it out',
  },
  compare: { type: 'boolean', default: false, about: 'twenty questions through greedy, self-consistency and mcts' },
  questions: { type: 'string', takes: 'FILE', about: 'your own for --compare: JSONL with question and answer' },
  rollouts: { type: 'string', takes: 'N', default: '8', about: 'samples and rollouts in --compare' },
  seed: { type: 'string', takes: 'N', default: '1', about: 'of --compare', rare: true },
  'kv-bytes': {
    type: 'string',
    takes: 'N',
    default: String(64 * 1024 * 1024),
    about: 'shows how the embedded models would share this KV memory',
    rare: true,
  },
  json: { type: 'boolean', default: false, about: 'prints one JSON object' },
  ...helpFlag,
} as const satisfies Flags;

/** For node:util's parseArgs, and for the shell's completion. */
export const flags = { ...modelGroup, ...examinationGroup } as const;
export const settings = settingNames(scope);

export const help: Help = {
  usage: 'doctor [options]',
  about: 'Examines servers, or the embedded engine, and says what to expect of a search on them.',
  groups: [
    ['the model', modelGroup],
    ['the examination', examinationGroup],
  ],
  settings: settingHelp(scope),
  examples: [
    'doctor',
    `doctor --engine ${exampleServer} --compare`,
    'doctor --set engine.draft=sapling-draft --seconds 5',
  ],
};

export type DoctorSettings = ReturnType<typeof readDoctorSettings>;

export function readDoctorSettings(args: readonly string[]) {
  if (args.some((arg) => arg === '--table' || arg.startsWith('--table=')))
    raise('bad-setting', '--table is a command of the lab: npm run lab -- table FILE in the repository');
  const { values } = readArguments({ args: [...args], options: flags }, (flag) => settingOfFlag(flag, scope));
  const own = readModelFlags(values, true, readSettings(values.set, scope).model);
  const config = ownModel(own);
  return {
    own,
    engines: own.engines ?? [],
    verifiers: own.verifiers ?? [],
    kind: own.kind ?? 'qwen-prm',
    seconds: whole('seconds', values.seconds, 0, 600, 'seconds'),
    kvBytes: flagOf('kv-bytes', values['kv-bytes'], engineKnobs.kvBytes),
    rollouts: flagOf('rollouts', values.rollouts, requestKnobs.rollouts),
    seed: flagOf('seed', values.seed, requestKnobs.seed),
    compare: values.compare,
    json: values.json,
    questions: values.questions,
    verifierKeyEnv: values['verifier-key-env'],
    ...namedOf(config),
    embedder: config.embedder && endpointOf(config.embedder),
  };
}

/** How its servers are asked. */
export function namedOf({ engine }: ModelConfig) {
  if (engine.kind !== 'openai') return { named: {}, keyEnv: undefined };
  const { model, dialect, apiKeyEnv: keyEnv } = engine;
  return { named: { ...(model && { model }), ...(dialect && { dialect }) }, keyEnv };
}

function endpointOf({ url, model, apiKeyEnv }: NonNullable<ModelConfig['embedder']>) {
  return { url, model, ...keyOf(apiKeyEnv) };
}
