// `npm run lab -- sessions`: runs agents' sessions under overload in virtual time, ordered and routed by request, by session, or by one of each;
// with `--url` on a running gateway, in requests that name their session and in requests that do not.

import { mean } from '@coppice/core/base';
import { printed, tableOf } from '../experiment/table.ts';
import { type CommandFlags, type CommandHelp, flagOf, helpFlag, oneOf, readArguments, whole } from '../flags.ts';
import { askSessions } from '../sessions/asked-sessions.ts';
import { type ServedSessions, type SessionService, serveSessions } from '../sessions/served-sessions.ts';
import { lengths, type PlannedSession, plannedSessions } from '../sessions/session-load.ts';
import { percentile } from '../statistics.ts';

const text = 'string';
const flags = {
  sessions: { type: text, takes: 'N', default: '600', about: 'of one run' },
  load: { type: text, takes: 'X', default: '1.2', about: 'multiple of what order and replica by session sustain' },
  turns: { type: text, takes: 'NAME', default: 'ten', about: `of a session, of mean ten: ${lengths.join(', ')}` },
  seeds: { type: text, takes: 'N', default: '5', about: 'runs, from seed 1 on' },
  url: { type: text, takes: 'URL', about: 'a running gateway in place of simulated GPUs' },
  model: { type: text, takes: 'NAME', default: 'qwen', about: 'of the gateway' },
  scale: { type: text, takes: 'X', default: '0.2', about: 'multiple of all sizes and pauses there' },
  ...helpFlag,
} as const satisfies CommandFlags;

export const help: CommandHelp = {
  starts: 'npm run lab --',
  usage: 'sessions [options]',
  about:
    'Serves sessions of agents on two simulated GPUs: order and replica by request, by session, or by one of both. With --url a gateway serves them, with and without their names.',
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
  const { url } = values;
  const compared = url === undefined ? manners : [manners[0]!, manners.at(-1)!];
  const scale = flagOf('scale', values.scale, { low: 0.001, high: 10, unit: 'times', why: '' });
  const serve = async (planned: readonly PlannedSession[], manner: SessionService, run: string) =>
    url === undefined
      ? serveSessions(planned, manner)
      : askSessions(planned, { url, model: values.model, scale, named: manner.order === 'session', run });
  const runs: ServedSessions[][] = [];
  for (const seed of seeds) {
    const burst = plannedSessions(seed, sessions, 1000, turns);
    const together = await serve(burst, manners.at(-1)!, `${seed} together`);
    const perSecond = (load * together.turnsPerSecond * sessions) / turnsIn(burst);
    const planned = plannedSessions(seed, sessions, url === undefined ? perSecond : perSecond * scale, turns);
    const served: ServedSessions[] = [];
    for (const manner of compared) served.push(await serve(planned, manner, `${seed} by ${manner.order}`));
    runs.push(served);
  }
  const rows = compared.map((manner, at) => rowOf(manner, runs, at));
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
  const where = url === undefined ? 'simulated' : `by ${url}, sizes and pauses times ${scale}`;
  console.log(`${sessions} sessions, turns ${turns}, load ${load}, seeds 1 to ${seeds.length}, ${where}`);
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
