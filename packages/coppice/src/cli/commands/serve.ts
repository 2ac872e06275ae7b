// `coppice serve`: runs the gateway in the foreground. Resumes what a former process left, reads keys again on SIGHUP, and shuts down
// cleanly on SIGINT or SIGTERM.

import { type OpenModel, openModels } from '@coppice/core/answering';
import { raise } from '@coppice/core/base';
import { type Config, journalKind, keyName, shippedModel } from '@coppice/core/config';
import { systemClock } from '@coppice/core/runtime';
import { Gateway } from '@coppice/gateway';
import { newKey } from '@coppice/gateway/http';
import { createLog, type Log } from '@coppice/gateway/observe';
import { findPage } from '@coppice/gateway/page';
import { configFlags, readConfig } from '../flags/config-file.ts';
import { type Flags, type Help, helpFlag } from '../flags/help.ts';
import { readArguments } from '../flags/options.ts';
import { defaultModels, simulatedModels } from '../plugins/plugins.ts';
import { printConfig, printExample, printSchema } from '../terminal/print-config.ts';
import { fit } from '../terminal/terminal.ts';

export const flags = {
  ...configFlags,
  host: { type: 'string', takes: 'NAME', about: 'short for server.host' },
  port: { type: 'string', takes: 'N', about: 'short for server.port' },
  journal: { type: 'string', takes: 'FILE', about: 'short for journal.path; :memory: keeps nothing' },
  sim: { type: 'boolean', default: false, about: 'the simulated engine instead of a model' },
  'print-config': { type: 'boolean', default: false, about: 'prints the configuration in force and ends' },
  'print-example': { type: 'boolean', default: false, about: 'prints every setting with default and reason, and ends' },
  'print-schema': { type: 'boolean', default: false, about: 'prints the JSON schema of the configuration, and ends' },
  'new-key': { type: 'string', takes: 'NAME', about: 'prints a new API key and the lines for the configuration' },
  ...helpFlag,
} as const satisfies Flags;

export const help: Help = {
  usage: 'serve [options]',
  about:
    'Answers OpenAI clients by tree search; http://127.0.0.1:8181 unless configured. Settings come from the file, then from variables such as COPPICE__SERVER__PORT, then from flags.',
  groups: [['options', flags]],
  examples: ['serve', 'serve --sim --port 8080', 'serve --set models.0.budget=64'],
};

export async function run(args: readonly string[]): Promise<number> {
  const { values } = readArguments({ args: [...args], options: flags });
  if (values['print-example']) return print(printExample(defaultModels()).trimEnd());
  if (values['print-schema']) return print(printSchema());
  if (values['new-key'] !== undefined) return print(describeKey(values['new-key']));
  const shorthand = [
    ...(values.host === undefined ? [] : [`server.host=${JSON.stringify(values.host)}`]),
    ...(values.port === undefined ? [] : [`server.port=${values.port}`]),
    ...(values.journal === undefined ? [] : [`journal.path=${JSON.stringify(values.journal)}`]),
  ];
  const models = values.sim ? simulatedModels() : defaultModels();
  const load = () => readConfig(values, models, shorthand);
  const config = load();
  if (values.sim) mustBeSimulated(config, values.config);
  return values['print-config'] ? print(printConfig(config)) : serve(config, load);
}

/** Refuses --sim together with models of a file or a setting, which would replace the simulated one. */
function mustBeSimulated({ models }: Config, file = 'coppice.json'): void {
  const other = models.find(({ engine }) => engine.kind !== 'sim');
  if (other === undefined) return;
  const remedy = 'leave --sim out, or start where there is no such file';
  raise('bad-setting', `--sim: ${file} or the environment configures models ('${other.name}'); ${remedy}`);
}

/** `reload`: reads the configuration again, for keys that change while it runs. */
async function serve(config: Config, reload: () => Config): Promise<number> {
  const { level } = config.log;
  const format = process.stderr.isTTY ? 'text' : 'json';
  const log = createLog({ level, format, write: (line) => process.stderr.write(line) });
  const opening = { environment: process.env, log, clock: systemClock };
  const { journal, cluster, clock } = await journalKind(config.journal.kind).open(config, opening);
  const models = await openModels(config.models, process.env, log);
  const page = await findPage(log);
  const gateway = new Gateway({
    config,
    models,
    journal,
    clock,
    log,
    ...(page && { page }),
    ...(cluster && { cluster }),
  });
  const { stopped, forget } = followSignals(gateway, () => reload().keys, log);
  const url = await gateway.listen().catch(async (error: unknown) => {
    await gateway.close();
    throw error;
  });
  announce(models, url);
  await stopped;
  forget();
  return 0;
}

/** Reads keys again on SIGHUP, shuts down on SIGINT or SIGTERM. `forget`: ignores SIGHUP from then on. */
function followSignals(gateway: Gateway, keys: () => Config['keys'], log: Log) {
  const takeKeys = (): void => {
    try {
      gateway.useKeys(keys());
    } catch (error) {
      log.error('keys', { error });
    }
  };
  process.on('SIGHUP', takeKeys);
  const stopped = new Promise<void>((resolve) => {
    const stop = (): void => {
      // A second SIGINT exits at once.
      process.once('SIGINT', () => process.exit(130));
      void gateway.close().then(resolve);
    };
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
  });
  return { stopped, forget: () => process.off('SIGHUP', takeKeys) };
}

function announce(models: readonly OpenModel[], url: string): void {
  console.log(`coppice serves ${models.map(({ config }) => config.name).join(', ')} at ${url}`);
  console.log(`  base URL for OpenAI clients: ${url}/v1`);
  for (const model of models) {
    const { name, engine } = model.config;
    const answers = shippedModel(engine)?.answers;
    if (answers) console.log(fit(`  ${name} answers ${answers}`, process.stdout));
  }
  if (models[0]?.config.engine.kind === 'sim')
    console.log('the engine is simulated: times are like a real one, answers mean nothing');
}

function describeKey(name: string): string {
  const { error } = keyName.safeParse(name);
  if (error !== undefined) raise('bad-setting', `--new-key '${name.slice(0, 64)}' ${error.issues[0]?.message}`);
  const { key, hash } = newKey();
  const line = JSON.stringify({ name, hash });
  return `The key, shown this once; give it to the client:\n  ${key}\n\nInto "keys" of the configuration:\n  ${line}`;
}

function print(text: string): number {
  console.log(text);
  return 0;
}
