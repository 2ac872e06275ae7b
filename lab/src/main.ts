// `npm run lab -- NAME …`: the lab's commands by name. Each is loaded only when it is used; faults become one readable line.

import { FaultError } from 'coppice';
import { helpAsked } from 'coppice/cli';
import type { CommandHelp } from './flags.ts';

interface LabModule {
  /** Commands without it print their own. */
  readonly help?: CommandHelp;
  /** Resolves to the exit status. */
  run(args: readonly string[]): Promise<number>;
}

interface LabCommand {
  readonly about: string;
  readonly load: () => Promise<LabModule>;
}

const commands: Readonly<Record<string, LabCommand>> = {
  list: { about: 'the experiments, their pages and how long they take', load: () => import('./commands/list.ts') },
  sim: {
    about: 'one experiment in virtual time; the comparison of policies unless it is named',
    load: () => import('./commands/sim.ts'),
  },
  figures: { about: 'every table and chart of one page of lab/docs', load: () => import('./commands/figures.ts') },
  fit: { about: 'fits a question profile to recorded trees', load: () => import('./commands/fit.ts') },
  record: {
    about: 'draws samples of questions on a real model and writes their trees',
    load: () => import('./commands/record.ts'),
  },
  sessions: {
    about: 'sessions of agents under overload, by request and by session, in virtual time',
    load: () => import('./commands/sessions.ts'),
  },
  load: {
    about: 'policies under open arrivals on a real model, and the simulator beside them',
    load: () => import('./commands/load.ts'),
  },
  arrivals: {
    about: 'policies under open arrivals on a real model behind servers, every search kept',
    load: () => import('./commands/arrivals.ts'),
  },
  contest: {
    about: 'one program over questions on a real model, with the tree of every search',
    load: () => import('./commands/contest.ts'),
  },
  code: {
    about: 'programs on programming tasks, judged by tests that no search sees',
    load: () => import('./commands/code.ts'),
  },
  lines: {
    about: 'trees and samples on exact tasks, every line judged by a checker',
    load: () => import('./commands/lines.ts'),
  },
  drafts: {
    about: 'a draft model for a real target on the embedded engine: acceptance, time, answers',
    load: () => import('./commands/drafts.ts'),
  },
  served: {
    about: 'questions at random moments to a running gateway: times, tokens, right answers, verdicts',
    load: () => import('./commands/served.ts'),
  },
  contact: {
    about: 'greedy answers of a server with coppice and without it',
    load: () => import('./commands/contact.ts'),
  },
  rivals: {
    about: 'rules that choose among recorded samples, and searches against them at equal tokens',
    load: () => import('./commands/rivals.ts'),
  },
  pairs: {
    about: 'two files of contest, paired by question: times, tokens, right and different answers',
    load: () => import('./commands/pairs.ts'),
  },
  pool: {
    about: 'points that one policy gains over another, over several files of arrivals',
    load: () => import('./commands/pool.ts'),
  },
  thresholds: {
    about: 'what thresholds of acceptance would have cost and given in trees that contest grew',
    load: () => import('./commands/thresholds.ts'),
  },
  worth: {
    about: 'rules that stop a vote over recorded samples, at equal cost',
    load: () => import('./commands/worth.ts'),
  },
  turns: {
    about: 'turns that call functions, drawn on a server, and votes over them by what they mean',
    load: () => import('./commands/turns.ts'),
  },
  branching: {
    about: 'what a draw below a prefix is worth against a fresh one, from recorded continuations',
    load: () => import('./commands/branching.ts'),
  },
  confidence: {
    about: 'how likely a voted answer is right where searches stop: fit and calibration',
    load: () => import('./commands/confidence.ts'),
  },
  arithmetic: {
    about: 'false equations in recorded samples, and votes that count such samples less',
    load: () => import('./commands/arithmetic.ts'),
  },
  panel: {
    about: 'a panel of two models against all its samples run to the end and judged',
    load: () => import('./commands/panel.ts'),
  },
  table: {
    about: 'measures a generator and a reward model on servers, for sim --machine',
    load: () => import('./commands/table.ts'),
  },
  wire: {
    about: "a server's own speed and what of it reaches searches, at as many sequences in flight",
    load: () => import('./commands/wire.ts'),
  },
  capacity: {
    about: 'what would so many GPUs hold at a bound on p99, by a trace of requests',
    load: () => import('./commands/capacity.ts'),
  },
  trace: {
    about: 'the searches of a journal as a trace of requests: times and lengths',
    load: () => import('./commands/trace.ts'),
  },
  honesty: {
    about: 'right, wrong and refused answers of the shipped model, by verdict',
    load: () => import('./commands/honesty.ts'),
  },
  micro: { about: 'benchmarks of one part each, by name', load: () => import('./micro/micro.ts') },
  rehearse: {
    about: 'what servers hold: simulated questions, real work',
    load: () => import('./commands/rehearse.ts'),
  },
  cluster: {
    about: 'a cluster of many nodes and GPUs in virtual time, with the code that serves',
    load: () => import('./commands/cluster.ts'),
  },
  signature: {
    about: 'a hash of a small run, the same on every machine',
    load: () => import('./commands/signature.ts'),
  },
};

function usage(): string {
  const lines = Object.entries(commands).map(([name, { about }]) => `  ${name.padEnd(13)} ${about}`);
  return ['usage: npm run lab -- COMMAND [options]', '', ...lines].join('\n');
}

async function runCommand({ help, run }: LabModule, args: readonly string[]): Promise<number> {
  const asked = help && helpAsked(args, help);
  if (asked === undefined) return run(args);
  console.log(asked);
  return 0;
}

async function main([name, ...args]: readonly string[]): Promise<number> {
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command !== undefined) return runCommand(await command.load(), args);
  const isHelp = name === '--help' || name === '-h' || name === 'help';
  if (name === undefined || isHelp) console.log(usage());
  else console.error(`lab: there is no command '${name}'\n\n${usage()}`);
  return isHelp ? 0 : 2;
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // `npm run lab -- sim | head` ends quietly.
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof FaultError)) throw error;
  console.error(`lab: ${error.fault.message} (${error.fault.code})`);
  process.exitCode = error.fault.code === 'bad-setting' ? 2 : 1;
}
