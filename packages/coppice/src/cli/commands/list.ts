// Lists the commands by name. Each is loaded only when it is used.

import type { Help } from '../flags/help.ts';

interface CommandModule {
  readonly help: Help | string;
  readonly flags: Readonly<Record<string, object>>;
  /** Resolves to the exit status. */
  run(args: readonly string[]): Promise<number>;
}

interface Command {
  readonly about: string;
  readonly load: () => Promise<CommandModule>;
}

export const commands: Readonly<Record<string, Command>> = {
  ask: { about: 'answers one question by search, and shows the tree', load: () => import('./ask.ts') },
  serve: { about: 'answers OpenAI clients by search, and shows the trees', load: () => import('./serve.ts') },
  doctor: {
    about: 'examines servers or the embedded engine, and measures their knee',
    load: () => import('./doctor/doctor.ts'),
  },
  bench: { about: 'compares programs and policies on a set of questions', load: () => import('./bench/bench.ts') },
  replay: { about: 'steps through a trace that ask wrote', load: () => import('./replay.ts') },
  export: {
    about: 'writes finished searches as data to train on',
    load: () => import('./export.ts'),
  },
  migrate: { about: 'makes the tables that serve needs in PostgreSQL', load: () => import('./migrate.ts') },
};
