#!/usr/bin/env node
// The command line: picks the command, loads only that one, and turns its faults into one readable line. The composition
// root is each command's own module; nothing else in src/ reads arguments or exits the process.

import { FaultError } from '../base/fault.ts';

interface Command {
  readonly about: string;
  /** Resolves to the exit status. */
  readonly load: () => Promise<{ run(args: readonly string[]): Promise<number> }>;
}

const commands: Readonly<Record<string, Command>> = {
  ask: { about: 'answers one question on the embedded engine', load: () => import('./commands/ask.ts') },
  serve: { about: 'answers OpenAI clients by search, and shows the trees', load: () => import('./commands/serve.ts') },
  migrate: { about: 'makes the tables that serve needs in PostgreSQL', load: () => import('./commands/migrate.ts') },
  bench: { about: 'compares programs and policies on a set of questions', load: () => import('./commands/bench.ts') },
  doctor: {
    about: 'examines servers or the embedded engine, and measures their knee',
    load: () => import('./commands/doctor.ts'),
  },
  replay: { about: 'steps through a trace that ask wrote', load: () => import('./commands/replay.ts') },
  sim: { about: 'compares policies in virtual time, on simulated GPUs', load: () => import('./commands/sim.ts') },
};

function usage(): string {
  const lines = Object.entries(commands).map(([name, { about }]) => `  ${name.padEnd(8)} ${about}`);
  return ['usage: coppice COMMAND [options]', '', ...lines, '', 'coppice COMMAND --help tells more.'].join('\n');
}

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    console.log(usage());
    return name === undefined ? 2 : 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    console.error(`coppice: there is no command '${name}'\n\n${usage()}`);
    return 2;
  }
  const { run } = await command.load();
  return run(rest);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof FaultError)) throw error;
  console.error(`coppice: ${error.fault.message} (${error.fault.code})`);
  process.exitCode = error.fault.code === 'bad-setting' ? 2 : 1;
}
