// `npm run lab -- table FILE`: measures a generator and a reward model on servers for about a minute, alone and together, and writes the
// table for `sim --machine`. Needs both models loaded, and servers without other clients; the two may share a GPU.

import { writeFileSync } from 'node:fs';
import { closeModel, openModel, ownModel } from '@coppice/core/answering';
import { assert, raise } from '@coppice/core/base';
import { keyIn, overlay } from '@coppice/core/config';
import {
  modelFlags,
  namedOf,
  readModelFlags,
  readSearchArguments,
  serverFlags,
  setFlag,
  settingHelp,
} from 'coppice/cli';
import { type CommandFlags, type CommandHelp, type CommandSettings, exampleServer, helpFlag } from '../flags.ts';
import { measureMachine, tableSizes } from '../machine-table/machine-table.ts';
import { cacheOf, roomOf } from '../machine-table/server-room.ts';

/** It searches nothing: only what the engine can be told, and which model of a server scores. */
const scope: CommandSettings = { search: [], model: (name) => name.startsWith('engine.') || name === 'verifier.model' };

const { embedder: _, ...servers } = serverFlags;
const flags = {
  ...servers,
  model: { ...modelFlags.model, takes: 'NAME', about: 'what the generator must serve' },
  ...setFlag,
  ...helpFlag,
} as const satisfies CommandFlags;

export const help: CommandHelp = {
  starts: 'npm run lab --',
  usage: 'table FILE --engine URL --verifier URL [options]',
  about: 'Measures both servers for about a minute, alone and together, and writes a machine for sim --machine.',
  groups: [['the servers', flags]],
  settings: settingHelp(scope),
  examples: [`table table.json --engine ${exampleServer} --verifier http://127.0.0.1:8001 --kind qwen-prm`],
};

export async function run(args: readonly string[], sizes = tableSizes): Promise<number> {
  const [file, ...rest] = args;
  if (file === undefined || file.startsWith('-'))
    return raise('bad-setting', 'write the table where? npm run lab -- table FILE --engine URL --verifier URL');
  const { own, engines, verifiers, verifierKeyEnv } = readTable(rest);
  const { named, keyEnv } = namedOf(ownModel(own));
  const rooms = await Promise.all(engines.map((url) => roomOf({ url, ...keyIn(keyEnv, process.env) }, named)));
  const judges = verifiers.map((url) => cacheOf({ url, ...keyIn(verifierKeyEnv, process.env) }));
  // Replicas are measured as one machine.
  const kvTokens = sum(rooms.map((each) => each.kvTokens));
  const sequenceLimit = sum(rooms.map((each) => each.sequenceLimit));
  const scoreKvTokens = sum(await Promise.all(judges));
  // One limit for all: the waves must be able to go beyond what is found by trial.
  const inFlight = Math.min(Math.max(...sizes.sequences), sequenceLimit);
  const settings = overlay({ engine: { inFlight } }, own.settings ?? {});
  const model = await openModel(ownModel({ ...own, settings }), process.env);
  try {
    const { engine, verifier, note } = model;
    assert(verifier !== undefined, 'a model with --verifier has one');
    const subject = { name: note ?? engines[0]!, engine, verifier, kvTokens, sequenceLimit, scoreKvTokens };
    const machine = await measureMachine(subject, sizes, console.log);
    writeFileSync(file, `${JSON.stringify(machine, null, 1)}\n`);
    console.log(`  written to ${file}`);
    return 0;
  } finally {
    await closeModel(model);
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0);
}

function readTable(args: readonly string[]) {
  const { values, model } = readSearchArguments({ args: [...args], options: flags }, scope);
  const own = readModelFlags(values, true, model);
  const { engines = [], verifiers = [] } = own;
  if (engines.length === 0 || verifiers.length === 0)
    raise('bad-setting', 'a table is of a generator and a reward model: give --engine and --verifier');
  return { own, engines, verifiers, verifierKeyEnv: values['verifier-key-env'] };
}
