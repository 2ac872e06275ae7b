// `npm run lab -- rehearse`: finds out what the user's servers hold. Runs policies under loads on them, with simulated content and real
// work. Writes each point as it ends, and a second run continues there.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { raise } from '@coppice/core/base';
import { version } from '@coppice/core/config';
import { type DialectName, openRemoteEngine } from '@coppice/core/engine';
import { SqliteJournal } from '@coppice/core/journal';
import { openRemoteVerifier, type RemoteVerifier } from '@coppice/core/verifier';
import { requestsOn } from '../rehearse/busy.ts';
import { tokensPerWord } from '../rehearse/filler.ts';
import { type RehearsalParts, type RehearsalPoint, rehearse } from '../rehearse/rehearsal.ts';
import { rehearsalTable, rehearsedRows } from '../rehearse/rehearsal-table.ts';
import { type RehearseOptions, readRehearseOptions } from '../rehearse/rehearse-options.ts';
import { addRecord, findRecord, isComplete, type RehearsalRecord, readRecords } from '../rehearse/result-file.ts';
import { fitsInto, readRequestTrace } from '../service/index.ts';

export { flags, help } from '../rehearse/rehearse-options.ts';

export async function run(args: readonly string[]): Promise<number> {
  const options = readRehearseOptions(args);
  const records = readRecords(options.out);
  const done = records.filter(isComplete);
  const missing = options.points.filter((point) => findRecord(done, point) === undefined);
  if (missing.length > 0) records.push(...(await rehearseAll(options, missing)));
  const shown = options.points.flatMap((point) => findRecord(records, point) ?? []);
  print(
    options,
    shown.filter(({ result }) => result.served.length > 0),
  );
  return shown.length === options.points.length && shown.every(isComplete) ? 0 : 1;
}

/** Runs points until the time is up; names those that are left. */
async function rehearseAll(options: RehearseOptions, points: readonly RehearsalPoint[]): Promise<RehearsalRecord[]> {
  const endMs = performance.now() + options.seconds * 1000;
  const folder = mkdtempSync(join(tmpdir(), 'coppice-rehearsal-'));
  const records: RehearsalRecord[] = [];
  const parts = await openParts(options, join(folder, 'journal.sqlite'));
  try {
    for (const point of points) {
      const leftSeconds = (endMs - performance.now()) / 1000;
      if (leftSeconds <= 0) break;
      console.error(`${nameOf(point)}: ${point.requests} requests, at most ${leftSeconds.toFixed(0)} s`);
      const at = new Date().toISOString();
      const result = await rehearse(point, parts, leftSeconds);
      const prediction = options.prediction && { prediction: options.prediction.sha256 };
      records.push({ point, at, version, ...prediction, result });
      addRecord(options.out, records.at(-1)!);
      for (const line of remarks(records.at(-1)!)) console.error(line);
      await idle(parts);
    }
  } finally {
    await Promise.all([parts.engine.close(), parts.verifier.close(), parts.journal.close()]);
    rmSync(folder, { recursive: true, force: true });
  }
  const left = points.length - records.length;
  if (left > 0)
    console.error(
      `${options.seconds} s are over (--seconds); ${left} ${left === 1 ? 'point is' : 'points are'} left: run it again`,
    );
  return records;
}

function nameOf({ row, load, perSecond }: RehearsalPoint): string {
  return `${row}, ${load}${perSecond === undefined || load.endsWith('/s') ? '' : ` (${perSecond.toFixed(3)}/s)`}`;
}

function remarks({ point, result }: RehearsalRecord): string[] {
  const { served, unfinishedMs, faults, lastFault } = result;
  const cut = `time was up: ${served.length} of ${point.requests} ended, ${unfinishedMs.length} were cancelled`;
  const troubled = `${faults} requests failed and were done again or given up; the last: ${lastFault}`;
  return [...(unfinishedMs.length > 0 ? [`  ${cut}`] : []), ...(faults > 0 ? [`  ${troubled}`] : [])];
}

async function openParts(options: RehearseOptions, path: string): Promise<RehearsalParts> {
  const { engineServers, verifierServers, kind, model } = options;
  const observe = ({ type, ...fields }: { readonly type: string }): void =>
    console.error(`  ${type}: ${Object.values(fields).join(', ')}`);
  const engine = await openRemoteEngine({ servers: engineServers, observe, ...(model && { model }) });
  let verifier: RemoteVerifier | undefined;
  try {
    if (engine.capabilities.name.includes('openai'))
      raise('unsupported', '--engine is a server that cannot be asked for an exact number of tokens');
    refuseUnfit(options, engine.capabilities.contextTokens);
    verifier = await openRemoteVerifier({ kind, servers: verifierServers });
    if (!options.anyway) await refuseBusy(options, engine.capabilities.name.split('+')[0] as DialectName);
    const ratio = await tokensPerWord(engine);
    return { engine, verifier, journal: new SqliteJournal({ path }), tokensPerWord: ratio };
  } catch (error) {
    await Promise.all([engine.close(), verifier?.close()]);
    throw error;
  }
}

/** Checked first: a request that the server has no room for would be retried until its search fails. */
function refuseUnfit({ points }: RehearseOptions, contextTokens = Number.POSITIVE_INFINITY): void {
  const { trace, requests } = points[0]!;
  if (trace === undefined) return;
  const unfit = readRequestTrace(trace.file)
    .requests.slice(0, requests)
    .filter((each) => !fitsInto(contextTokens, each));
  if (unfit.length === 0) return;
  const longest = Math.max(...unfit.map(({ promptTokens }) => promptTokens));
  raise(
    'bad-setting',
    `${unfit.length} of the ${requests} requests of --trace ${trace.file} do not fit the server's context of ${contextTokens} tokens (the longest prompt has ${longest}); serve a longer one, or take them out of the trace`,
  );
}

/** Reward models that pool run on vLLM; other kinds report no load in its dialect. */
async function refuseBusy({ engineServers, verifierServers }: RehearseOptions, dialect: DialectName): Promise<void> {
  const servers = [
    ...engineServers.map((each) => ({ each, dialect })),
    ...verifierServers.map((each) => ({ each, dialect: 'vllm' as const })),
  ];
  for (const { each, dialect: spoken } of servers) {
    const requests = await requestsOn(each, spoken);
    if (requests !== undefined && requests > 0)
      raise('bad-setting', `${each.url} is serving ${requests} requests of other clients; wait, or say --anyway`);
    if (requests === undefined) console.error(`${each.url} does not say whether it serves other clients`);
  }
}

/** Waits for cancelled requests: the next point numbers its own from 0 again. */
async function idle({ engine, verifier }: RehearsalParts): Promise<void> {
  const outstanding = (): number => {
    const { runningSequences, waitingSequences } = engine.load();
    const { waiting, running = 0 } = verifier.load();
    return runningSequences + waitingSequences + waiting + running;
  };
  while (outstanding() > 0) await new Promise((resolve) => setTimeout(resolve, 10));
}

function print(options: RehearseOptions, records: readonly RehearsalRecord[]): void {
  const rows = rehearsedRows(records, options.base, options.prediction);
  if (options.json) return console.log(JSON.stringify({ rehearsed: true, points: options.points, rows }, undefined, 1));
  if (rows.length === 0) return console.log('nothing has been rehearsed');
  const { setting, seed, budget, rollouts, threshold, trees, trace } = options.points[0]!;
  const predicted =
    options.prediction && ` Predicted by ${options.prediction.file}, sha256 ${options.prediction.sha256}.`;
  console.log(
    [
      `Rehearsed: content of ${trees ?? setting}${trace ? `, gaps and lengths of ${trace.file}` : ''}, seed ${seed}, M = ${budget} strands, ${rollouts} rollouts, threshold ${threshold}; the work was real.`,
      `The first 10 % of the requests are left out of latencies; ≥: some had not ended. Ratios: above 1 is better than ${options.base} (×b).${predicted ?? ''}`,
      '',
      rehearsalTable(rows, options.base),
    ].join('\n'),
  );
}
