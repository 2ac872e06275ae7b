// The options of `coppice doctor`: read once and checked. A bad one is refused in one line that gives the value and what it may be.

import { raise } from '../../../base/fault.ts';
import { curveDefaults } from '../../../bench/doctor/step-time.ts';
import { engineKnobs } from '../../../config/machine-knobs.ts';
import { requestKnobs } from '../../../config/vocabulary.ts';
import { dialectNames } from '../../../engine/remote/dialect/dialect.ts';
import { remoteVerifierKinds } from '../../../verifier/remote/open-verifier.ts';
import { refuseEmbedded } from '../../terminal/model-flags.ts';
import { flagOf, given, oneOf, readArguments, whole } from '../../terminal/options.ts';

export const usage = `usage: coppice doctor [options]
Examines servers, or the embedded engine where none is given, and says what to expect of a search on them.

  --engine URL         a server of the generator; once per replica
  --model NAME         the model that it must serve, or of the embedded engine (sapling)
  --dialect NAME       ${dialectNames.join(', ')}; found by probing unless given
  --key-env NAME       environment variable with the engine's key
  --verifier URL       a server of the reward model; once per replica
  --kind NAME          what the reward model is: ${remoteVerifierKinds.join(', ')} (qwen-prm)
  --verifier-key-env NAME
  --embedder URL       a server of an embedding model; with --embedder-model, --embedder-key-env NAME
  --draft NAME|FILE    a draft model for the embedded engine: is it faster with it, and would it be used
  --kv-bytes N         show how the embedded models would share this KV memory (64 MiB)
  --seconds N          for the step-time probe (15); 0 leaves it out
  --table FILE         measures both servers for about a minute, alone and together, for npm run lab -- sim --machine FILE
  --compare            twenty questions through greedy, self-consistency and MCTS; sapling gets its own task
  --questions FILE     your own for --compare: JSONL with question and answer
  --rollouts N         samples and rollouts in --compare (8)
  --seed N             (1)
  --json               prints one JSON object`;

const text = { type: 'string' } as const;
const list = { type: 'string', multiple: true } as const;
export const flags = {
  engine: list,
  model: text,
  dialect: text,
  'key-env': text,
  verifier: list,
  kind: text,
  'verifier-key-env': text,
  embedder: text,
  'embedder-model': text,
  'embedder-key-env': text,
  draft: text,
  'kv-bytes': text,
  seconds: text,
  table: text,
  compare: { type: 'boolean' },
  questions: text,
  rollouts: text,
  seed: text,
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

export type DoctorSettings = NonNullable<ReturnType<typeof readDoctorSettings>>;

export function readDoctorSettings(args: readonly string[]) {
  const { values } = readArguments({
    args: [...args],
    options: flags,
  });
  if (values.help === true) return undefined;
  if (values.table !== undefined && (values.engine === undefined || values.verifier === undefined))
    raise('bad-setting', '--table measures a generator and a reward model: give --engine and --verifier');
  if (values.engine !== undefined) refuseEmbedded({ draft: values.draft });
  if (values.embedder === undefined && (values['embedder-model'] ?? values['embedder-key-env']) !== undefined)
    raise('bad-setting', '--embedder-model and --embedder-key-env belong to --embedder URL, which is not given');
  return {
    engines: values.engine ?? [],
    verifiers: values.verifier ?? [],
    kind: oneOf('kind', values.kind ?? 'qwen-prm', remoteVerifierKinds),
    seconds: whole('seconds', values.seconds ?? String(curveDefaults.seconds), 0, 600, 'seconds'),
    kvBytes: flagOf('kv-bytes', values['kv-bytes'] ?? String(64 * 1024 * 1024), engineKnobs.kvBytes),
    rollouts: flagOf('rollouts', values.rollouts ?? '8', requestKnobs.rollouts),
    seed: flagOf('seed', values.seed ?? '1', requestKnobs.seed),
    compare: values.compare === true,
    json: values.json === true,
    ...given('draft', values.draft, (name) => name),
    ...given('table', values.table, (name) => name),
    ...given('model', values.model, (name) => name),
    ...given('dialect', values.dialect, (name) => oneOf('dialect', name, dialectNames)),
    ...given('keyEnv', values['key-env'], (name) => name),
    ...given('verifierKeyEnv', values['verifier-key-env'], (name) => name),
    ...given('questions', values.questions, (name) => name),
    ...given('embedder', values.embedder, (url) => {
      return { url, model: values['embedder-model'], ...keyOf(values['embedder-key-env']) };
    }),
  };
}

/** The key that a variable holds: the name may be shown, the value never. */
export function keyOf(name: string | undefined): { readonly apiKey?: string } {
  if (name === undefined) return {};
  const apiKey = process.env[name];
  if (apiKey === undefined || apiKey === '') raise('bad-setting', `the variable ${name} is not set`);
  return { apiKey };
}
