// `npm run lab -- sessions`: runs agents' sessions under overload in virtual time, ordered and routed by request, by session, or by one of each.

import { mean } from '@coppice/core/base';
import { printed, tableOf } from '../experiment/table.ts';
import { type CommandFlags, type CommandHelp, flagOf, helpFlag, oneOf, readArguments, whole } from '../flags.ts';
import { type ServedSessions, type SessionService, serveSessions } from '../sessions/served-sessions.ts';
import { lengths, plannedSessions } from '../sessions/session-load.ts';
import { percentile } from '../statistics.ts';

const text = 'string';
const flags = {
  sessions: { type: text, takes: 'N', default: '600', about: 'of one run' },
  load: { type: text, takes: 'X', default: '1.2', about: 'multiple of what order and replica by session sustain' },
  turns: { type: text, takes: 'NAME', default: 'ten', about: `of a session, of mean ten: ${lengths.join(', ')}` },
  seeds: { type: text, takes: 'N', default: '5', about: 'runs, from seed 1 on' },
  ...helpFlag,
} as const satisfies CommandFlags;

export const help: CommandHelp = {
  starts: 'npm run lab --',
  usage: 'sessions [options]',
  about:
    'Serves sessions of agents on two simulated GPUs: order and replica by request, by session, or by one of both.',
  groups: [['the sessions', flags]],
  examples: ['sessions', 'sessions --turns lognormal'],
};

const manners: readonly SessionService[] = [
  { order: 'request', replica: 'request' },
  { order: 'request', replica: 'session' },
  { order: 'session', replica: 'request' },
  { order: 'session', replica: 'session' },
];

export async function run(args: readonly string[]): Promise<number> {
  const { values } = readArguments({ args: [...args], options: flags });
  const sessions = whole('sessions', values.sessions, 10, 100_000, 'sessions');
  const load = flagOf('load', values.load, { low: 0.1, high: 10, unit: 'times', why: '' });
  const turns = oneOf('turns', values.turns, lengths);
  const seeds = Array.from({ length: whole('seeds', values.seeds, 1, 100, 'runs') }, (_, at) => at + 1);
  const runs = seeds.map((seed) => {
    const together = serveSessions(plannedSessions(seed, sessions, 1000, turns), manners.at(-1)!);
    const perSecond = (load * together.turnsPerSecond * sessions) / turnsIn(plannedSessions(seed, sessions, 1, turns));
    const planned = plannedSessions(seed, sessions, perSecond, turns);
    return manners.map((manner) => serveSessions(planned, manner));
  });
  const rows = manners.map((manner, at) => rowOf(manner, runs, at));
  const table = tableOf(
    [
      { heading: 'order', left: true, of: ({ order }) => order },
      { heading: 'replica', left: true, of: ({ replica }) => replica },
      { heading: 'mean s', of: ({ meanS }) => meanS.toFixed(0) },
      { heading: 'ratio', of: ({ meanRatio }) => meanRatio.toFixed(2) },
      { heading: 'p99 s', of: ({ p99S }) => p99S.toFixed(0) },
      { heading: 'ratio', of: ({ p99Ratio }) => p99Ratio.toFixed(2) },
      { heading: 'found', of: ({ found }) => found.toFixed(3) },
      { heading: 'of what was sent', of: ({ ofSent }) => ofSent.toFixed(3) },
      { heading: 'turns/s', of: ({ perSecond }) => perSecond.toFixed(1) },
    ],
    rows,
  );
  console.log(printed([table], 'text'));
  console.log(`${sessions} sessions, turns ${turns}, load ${load}, seeds 1 to ${seeds.length}, simulated`);
  return 0;
}

function turnsIn(planned: ReturnType<typeof plannedSessions>): number {
  return planned.reduce((sum, each) => sum + each.turns.length, 0);
}

/** Ratios to the first manner, seed by seed. */
function rowOf(manner: SessionService, runs: readonly (readonly ServedSessions[])[], at: number) {
  const over = (read: (served: ServedSessions) => number) => mean(runs.map((each) => read(each[at]!)));
  const ratio = (read: (served: ServedSessions) => number) =>
    mean(runs.map((each) => read(each[at]!) / read(each[0]!)));
  const took = ({ tookMs }: ServedSessions) => mean(tookMs) / 1000;
  const longest = ({ tookMs }: ServedSessions) => percentile(tookMs, 99) / 1000;
  return {
    ...manner,
    meanS: over(took),
    meanRatio: ratio(took),
    p99S: over(longest),
    p99Ratio: ratio(longest),
    found: over(({ foundOfAll }) => foundOfAll),
    ofSent: over(({ foundOfSent }) => foundOfSent),
    perSecond: over(({ turnsPerSecond }) => turnsPerSecond),
  };
}
