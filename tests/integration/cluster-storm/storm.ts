// `npm run storm -- --minutes 10 --engine sim|embedded --seed 7 --clients 60`: a storm on three nodes and a PostgreSQL of their own. Prints
// one summary, and ends with 1 where a count that must be 0 is not.

import { parseArgs } from 'node:util';
import { hasPostgres } from '../../support/postgres.ts';
import { runStorm } from './run-storm.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    engine: { type: 'string', default: 'sim' },
    seed: { type: 'string', default: '7' },
    clients: { type: 'string' },
  },
});

function numberOf(name: string, text: string, low: number, high: number): number {
  const value = Number(text);
  if (Number.isFinite(value) && value >= low && value <= high) return value;
  console.error(`--${name} is '${text}'; it must be from ${low} to ${high}`);
  process.exit(2);
}

const { engine } = values;
if (engine !== 'sim' && engine !== 'embedded') {
  console.error(`--engine is '${engine}'; it must be sim or embedded`);
  process.exit(2);
}
const seconds = 60 * numberOf('minutes', values.minutes, 0.1, 600);
const seed = numberOf('seed', values.seed, 0, 4_000_000_000);
const clients = numberOf('clients', values.clients ?? (engine === 'sim' ? '60' : '16'), 1, 1000);
if (!hasPostgres) process.exit(2);

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupted.abort());
const say = (line: string) => console.error(line);
try {
  const { summary, faultCount } = await runStorm({
    seconds,
    engine,
    seed,
    clients,
    say,
    interrupted: interrupted.signal,
  });
  console.log(summary);
  process.exitCode = faultCount > 0 ? 1 : 0;
} catch (error) {
  if (!interrupted.signal.aborted) throw error;
  console.error('interrupted: nodes, database and folders are gone');
  process.exitCode = 130;
}
