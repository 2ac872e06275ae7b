// Rows of a small search by hand: two paths below one first step, one of them right.

import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import type { LoggedEvent, SearchEvent } from '../../../core/src/log/events.ts';
import { plantedEvent } from '../../../core/src/tree/events.ts';
import { nodeKey, rootKey } from '../../../core/src/tree/keys.ts';
import type { Step } from '../../../core/src/tree/step.ts';
import { ExportCounts, exportTrees, tableColumns } from './export-trees.ts';
import { writeParquet } from './parquet.ts';
import { jsonLine } from './row.ts';

const cost = {
  committedTokens: 6,
  discardedTokens: 0,
  speculativeTokens: 0,
  promptTokens: 2,
  cachedTokens: 0,
  verifierTokens: 0,
  verifierCachedTokens: 0,
  engineCalls: 3,
  verifierCalls: 0,
};

function step(tokenIds: number[], kept: number, composed?: number[], end: Step['end'] = 'eos'): Step {
  const logprobs = tokenIds.map((id) => -id / 16);
  const record = { kept, ...(composed && { composed }) };
  return { text: `t${tokenIds}`, tokens: tokenIds.length, meanLogprob: 0, end, tokenIds, logprobs, record };
}

const first = step([1, 2], 0, [8, 9], 'delimiter');
const firstKey = nodeKey(rootKey, first);
const sampling = { temperature: 1 } as const;

const grownLog: readonly SearchEvent[] = [
  plantedEvent('product'),
  { type: 'opened', strand: 0, node: 0 },
  { type: 'asked', strand: 0, node: 0, indices: [0], sampling },
  { type: 'grown', node: 1, parent: 0, key: firstKey, index: 0, step: first, terminal: false },
  { type: 'moved', strand: 0, node: 1 },
  { type: 'asked', strand: 0, node: 1, indices: [0, 1], sampling },
  { type: 'grown', node: 2, parent: 1, key: 5, index: 0, step: step([3, 4], 4), terminal: true, answer: '42' },
  { type: 'grown', node: 3, parent: 1, key: 6, index: 1, step: step([5, 6], 4), terminal: true, answer: '41' },
];
const ended: readonly SearchEvent[] = [
  ...grownLog,
  { type: 'exited', exit: { kind: 'exhausted', rule: 'rollouts', evidence: {} }, cost },
];

const logged = (events: readonly SearchEvent[]): LoggedEvent[] =>
  events.map((event, sequence) => ({ search: 's', sequence, atMs: sequence, event }));
const searchOf = (events: readonly SearchEvent[]) => ({
  search: 's',
  question: 'q',
  model: 'm',
  events: logged(events),
});
const isRight = (_: string | undefined, answer: string | undefined) => answer === '42';

async function all<Each>(rows: AsyncIterable<Each>): Promise<Each[]> {
  const found: Each[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

describe('rows', () => {
  it('of rollouts have prompt, completion, mask, log probabilities and advantages of the same length', async () => {
    const rows = await all(exportTrees([searchOf(ended)], { table: 'rollouts', isRight }));
    expect(rows[0]).toEqual({
      search: 's',
      question: 'q',
      model: 'm',
      weights: null,
      leaf: 2,
      path: [1, 2],
      count: 1,
      prompt_ids: [8, 9],
      completion_ids: [1, 2, 3, 4],
      completion_mask: [1, 1, 1, 1],
      logprobs: [-1 / 16, -2 / 16, -3 / 16, -4 / 16],
      advantages: [0, 0, 1, 1],
      temperature: 1,
      reward: 1,
      advantage: 1,
      right: true,
      answer: '42',
      finish_reason: 'stop',
    });
    expect(rows[1]).toMatchObject({ leaf: 3, reward: 0, advantage: -1, right: false, advantages: [0, 0, -1, -1] });
  });

  it('of nodes continue the tokens of their parents', async () => {
    const rows = await all(exportTrees([searchOf(ended)], { isRight }));
    expect(rows.map(({ kept_tokens, token_ids, mask }) => ({ kept_tokens, token_ids, mask }))).toEqual([
      { kept_tokens: 0, token_ids: [8, 9, 1, 2], mask: [0, 0, 1, 1] },
      { kept_tokens: 4, token_ids: [3, 4], mask: [1, 1] },
      { kept_tokens: 4, token_ids: [5, 6], mask: [1, 1] },
    ]);
    expect(rows[0]).toMatchObject({ mean_outcome: 1 / 2, leaves: 2, right: null, advantage_siblings: 0 });
  });

  it('have null for what a log lacks, and are counted as such', async () => {
    const bare = ended.map((event) => {
      if (event.type !== 'grown') return event;
      const { record: _, ...rest } = event.step;
      return { ...event, step: rest };
    });
    const counts = new ExportCounts();
    const rows = await all(exportTrees([searchOf(bare), searchOf(grownLog)], { counts, table: 'rollouts' }));
    expect(rows[0]).toMatchObject({
      prompt_ids: null,
      completion_ids: null,
      logprobs: null,
      reward: null,
      right: null,
    });
    expect(counts).toMatchObject({ searches: 1, unfinished: 1, rows: 2, withoutTokens: 2, trainedTokens: 0 });
  });

  it('count trained tokens: the first step in both paths, generated once', async () => {
    const counts = new ExportCounts();
    await all(exportTrees([searchOf(ended)], { counts, isRight }));
    expect(counts).toMatchObject({ searches: 1, rows: 3, withoutTokens: 0, generatedTokens: 6, trainedTokens: 8 });
  });

  it('are refused for a table that does not exist', async () => {
    await expect(all(exportTrees([], { table: 'leaves' as 'nodes' }))).rejects.toThrow(
      "there is no table 'leaves'; there are nodes and rollouts",
    );
  });
});

describe('files', () => {
  it('hold the same rows as JSON lines and as Parquet', async () => {
    const rows = await all(exportTrees([searchOf(ended)], { isRight }));
    const path = join(mkdtempSync(join(tmpdir(), 'export-')), 'rows.parquet');
    await writeParquet(path, tableColumns.nodes, exportTrees([searchOf(ended)], { isRight }));
    expect(readFileSync(path).subarray(0, 4).toString()).toBe('PAR1');
    expect(await parquetReadObjects({ file: await asyncBufferFromFile(path) })).toEqual(rows);
    expect(rows.map((row) => JSON.parse(jsonLine(row)))).toEqual(rows);
  });
});
