// `npm run lab -- trace JOURNAL FILE`: writes a journal's searches as a trace of requests, for `capacity`, `sim --trace` and `npm run lab -- rehearse --trace`:
// each one's time, and the lengths of its prompt and of its answer's path. No texts.

import { existsSync, writeFileSync } from 'node:fs';
import { raise } from '@coppice/core/base';
import { type FinishedSearch, type Journal, SqliteJournal } from '@coppice/core/journal';
import type { CommandHelp } from '../flags.ts';
import { ownTraceHead, type TracedRequest } from '../service/index.ts';

export const help: CommandHelp = {
  starts: 'npm run lab --',
  usage: 'trace JOURNAL FILE',
  about:
    'Writes the searches of a journal (the SQLite file of coppice serve, while no server has it open, or a copy) as a trace of requests: times and lengths, no texts.',
  groups: [],
  examples: ['trace coppice.sqlite requests.jsonl'],
};

export async function run(args: readonly string[]): Promise<number> {
  const [path, file] = args;
  if (path === undefined || file === undefined || args.length > 2)
    return raise('bad-setting', 'which journal, and where to? npm run lab -- trace JOURNAL FILE');
  if (!existsSync(path)) return raise('bad-setting', `cannot read the journal ${path}`);
  const journal = new SqliteJournal({ path });
  try {
    const { requests, left } = await tracedSearches(journal);
    if (requests.length === 0) return raise('bad-setting', `the journal ${path} has no search that wrote an answer`);
    const lines = [ownTraceHead, ...requests].map((each) => JSON.stringify(each));
    writeFileSync(file, `${lines.join('\n')}\n`);
    const without = left > 0 ? `; ${left} searches without an answer are left out` : '';
    console.log(`${requests.length} requests in ${file}${without}`);
    return 0;
  } finally {
    await journal.close();
  }
}

const pageLength = 1000;

/** In order of arrival, with times from the first one on. */
export async function tracedSearches(
  journal: Pick<Journal, 'ended'>,
): Promise<{ readonly requests: readonly TracedRequest[]; readonly left: number }> {
  const found: (TracedRequest | undefined)[] = [];
  let before: Pick<FinishedSearch, 'endedMs' | 'id'> = { endedMs: Number.MAX_SAFE_INTEGER, id: '' };
  for (;;) {
    const page = await journal.ended({ fromMs: 0, before, limit: pageLength });
    found.push(...page.map(tracedSearch));
    if (page.length < pageLength) break;
    before = page.at(-1)!;
  }
  const requests = found.filter((each) => each !== undefined).toSorted((a, b) => a.atMs - b.atMs);
  const startMs = requests[0]?.atMs ?? 0;
  return {
    requests: requests.map((each) => ({ ...each, atMs: Math.round(each.atMs - startMs) })),
    left: found.length - requests.length,
  };
}

/** Undefined where it wrote nothing, or its journal is older than these counts. */
function tracedSearch({ createdMs, outcome }: FinishedSearch): TracedRequest | undefined {
  const { tokens } = (outcome ?? {}) as { readonly tokens?: Readonly<Record<string, number>> };
  const { prompt: promptTokens = 0, path: answerTokens = 0 } = tokens ?? {};
  return promptTokens > 0 && answerTokens > 0 ? { atMs: createdMs, promptTokens, answerTokens } : undefined;
}
