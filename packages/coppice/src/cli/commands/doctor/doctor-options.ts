// Reads and checks the options of `coppice doctor` once.

import { ownModel, type RemoteSection } from '@coppice/core/answering';
import { keyIn, type ModelConfig, requestKnobs, type SearchKnob } from '@coppice/core/config';
import { curveDefaults } from '../../../bench/doctor/step-time.ts';
import { exampleServer, type Flags, type Help, helpFlag } from '../../flags/help.ts';
import { knobFlags } from '../../flags/knob-flags.ts';
import { modelFlags, readModelFlags, serverFlags } from '../../flags/model-flags.ts';
import { flagOf, whole } from '../../flags/options.ts';
import { settingHelp } from '../../flags/setting-help.ts';
import { ownKnobs, readSearchArguments, type SettingScope, setFlag } from '../../flags/settings.ts';

/** These settings are flags, which `--set` does not take. */
const flagged: readonly SearchKnob[] = ['rollouts', 'seed'];
const scope: SettingScope = { search: ownKnobs.filter((name) => !flagged.includes(name)), model: () => true };

const modelGroup = {
  model: {
    ...modelFlags.model,
    takes: 'NAME',
    about: 'the model to examine; with --engine, what it must serve (sapling)',
  },
  prm: modelFlags.prm,
  ...serverFlags,
  budget: modelFlags.budget,
  ...setFlag,
} as const satisfies Flags;
const examinationGroup = {
  seconds: {
    type: 'string',
    takes: 'N',
    default: String(curveDefaults.seconds),
    about: 'for the step-time probe; 0 times nothing',
  },
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
const comparisonGroup = {
  questions: { type: 'string', takes: 'FILE', about: 'your own: JSONL with question and answer' },
  compare: { type: 'boolean', default: false, about: 'without a file: easy ones of our own' },
  minutes: { type: 'string', takes: 'N', default: '5', about: 'it ends then, with what it has' },
  rollouts: { type: 'string', takes: 'N', default: '8', about: 'of the tree' },
  samples: { type: 'string', takes: 'N', about: 'drawn and scored for each question (as rollouts)' },
  program: { ...knobFlags.program, about: 'the tree: best-first, mcts, beam, … (best-first)' },
  policy: { ...knobFlags.policy, rare: true },
  seed: { type: 'string', takes: 'N', default: '1', about: 'of all draws', rare: true },
} as const satisfies Flags;

export const flags = { ...modelGroup, ...examinationGroup, ...comparisonGroup } as const;

export const help: Help = {
  usage: 'doctor [options]',
  about: 'Examines servers, or the embedded engine, and says what to expect of a search on them.',
  groups: [
    ['the model', modelGroup],
    ['the examination', examinationGroup],
    ['does a tree pay?', comparisonGroup],
  ],
  settings: settingHelp(scope),
  examples: [
    'doctor',
    `doctor --engine ${exampleServer} --questions mine.jsonl`,
    'doctor --set engine.draft=sapling-draft --seconds 5',
  ],
};

export type DoctorSettings = ReturnType<typeof readDoctorSettings>;

export function readDoctorSettings(args: readonly string[]) {
  const { values, wish, model } = readSearchArguments({ args: [...args], options: flags }, scope);
  const own = readModelFlags(values, true, model);
  const config = ownModel(own);
  return {
    own,
    engines: own.engines ?? [],
    verifiers: own.verifiers ?? [],
    kind: own.kind ?? 'qwen-prm',
    seconds: whole('seconds', values.seconds, 0, 600, 'seconds'),
    kvBytes: whole('kv-bytes', values['kv-bytes'], 1, 2 ** 50, 'bytes'),
    wish,
    minutes: whole('minutes', values.minutes, 1, 1440, 'minutes'),
    rollouts: flagOf('rollouts', values.rollouts, requestKnobs.rollouts),
    samples: flagOf('samples', values.samples ?? values.rollouts, requestKnobs.rollouts),
    seed: flagOf('seed', values.seed, requestKnobs.seed),
    budget: own.settings?.budget === undefined ? undefined : config.budget,
    compare: values.compare || values.questions !== undefined,
    json: values.json,
    questions: values.questions,
    verifierKeyEnv: values['verifier-key-env'],
    ...namedOf(config),
    embedder: config.embedder && { ...config.embedder, ...keyIn(config.embedder.apiKeyEnv, process.env) },
  };
}

/** Model name, dialect and key of the servers. */
export function namedOf({ engine }: ModelConfig) {
  if (engine.kind !== 'openai') return { named: {}, keyEnv: undefined };
  const { model, dialect, apiKeyEnv: keyEnv } = engine as RemoteSection;
  return { named: { ...(model && { model }), ...(dialect && { dialect }) }, keyEnv };
}
