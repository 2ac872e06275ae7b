// `branching` from end to end, on made-up continuations whose figures are known.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Random } from '@coppice/core/base';
import { expect, it, onTestFinished, vi } from 'vitest';
import { run } from './branching.ts';

/** Of each question half of the samples are right; a prefix decides all of its continuations with chance `decides`. `honest`: the judge knows. */
function writeContinued(folder: string, decides: number, honest: boolean): string {
  const random = new Random('made up', decides, Number(honest));
  const end = (isRight: boolean, tokens: number) => [isRight ? 0 : 1, Number(isRight), tokens];
  const lines = Array.from({ length: 200 }, (_, index) => {
    const prefixes = [0, 1, 2].flatMap((parent) =>
      [25, 50].map((tokens) => {
        const [isFixed, fixed] = [random.chance(decides), random.chance(0.5)];
        const ends = [0, 1, 2, 3].map(() => end(isFixed ? fixed : random.chance(0.5), 100 - tokens));
        return [parent, tokens, honest && isFixed ? Number(fixed) - 0.5 : random.uniform() - 0.5, ends];
      }),
    );
    const samples = Array.from({ length: 8 }, () => end(random.chance(0.5), 100));
    return JSON.stringify({ set: 'made', index, samples, prefixes });
  });
  const file = join(folder, `${decides}-${honest}.jsonl.gz`);
  writeFileSync(file, gzipSync(`${lines.join('\n')}\n`));
  return file;
}

it('finds ρ, the worth of a draw and the judge of prefixes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-branching-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const said: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line: unknown) => void said.push(String(line)));
  onTestFinished(() => void vi.restoreAllMocks());
  const read = async (decides: number, honest: boolean) => {
    said.length = 0;
    expect(await run([writeContinued(folder, decides, honest), '--json'])).toBe(0);
    const { figures, questions } = JSON.parse(said[1]!);
    expect(questions).toBe(200);
    return Object.fromEntries(figures.map((each: { column: string; value: number }) => [each.column, each.value]));
  };
  const blind = await read(0.4, false);
  expect(blind.share).toBeCloseTo(0.5);
  expect(blind.ρ).toBeCloseTo(0.4, 1);
  expect(blind.AUC).toBeCloseTo(0.5, 1);
  // Six in ten of a fresh draw, for half of its tokens.
  expect(Math.abs(blind['worth of a draw'] - 1.2)).toBeLessThan(0.2);
  expect(Math.abs(blind['below any'] - 50)).toBeLessThan(6);
  const sharp = await read(0.8, true);
  expect(sharp.ρ).toBeCloseTo(0.8, 1);
  expect(sharp.AUC).toBeGreaterThan(0.8);
  expect(sharp['best scored of 3']).toBeGreaterThan(75);
  expect(sharp['vote +2']).toBeGreaterThan(10);
});
