import { describe, expect, it } from 'vitest';
import { recordSearch } from '../../../../../tests/support/recorded.ts';
import { SearchFold } from '../../../../core/src/log/fold.ts';
import { type ComparedSearch, compare } from './comparison.ts';

function contender(seed: number, rollouts: number): ComparedSearch {
  const fold = new SearchFold();
  for (const logged of recordSearch({ id: `s${seed}`, seed, rollouts, threshold: 1 })) fold.apply(logged);
  const limits = { threshold: 0.9, rollouts };
  const search = { model: 'm', program: 'mcts', policy: 'boost', limits, verdict: 'accepted', answer: String(seed) };
  return { fold, search: search as unknown as ComparedSearch['search'], widest: 2 };
}

function rowOf(name: string, first: ComparedSearch, second: ComparedSearch) {
  return compare(first, second).find((row) => row.name === name);
}

describe('two searches compared', () => {
  const [small, large] = [contender(1, 2), contender(2, 8)];

  it('counts what the log says', () => {
    const { fold } = large;
    expect(rowOf('nodes', small, large)?.values).toEqual([String(small.fold.nodes), String(fold.nodes)]);
    expect(rowOf('rollouts', small, large)).toEqual({ name: 'rollouts', values: ['2', '8'], ratio: '× 4.00' });
    expect(rowOf('answer', small, large)?.values).toEqual(['1', '2']);
  });

  it('gives no ratio to a wait that is shown as 0', () => {
    const waited = (each: ComparedSearch, ms: number): ComparedSearch => {
      const fold = Object.assign(new SearchFold(), { submittedMs: 0, admittedMs: ms });
      return { ...each, fold };
    };
    expect(rowOf('waited', waited(small, 0.2), waited(large, 2380))).toMatchObject({
      values: ['0 ms', '2.38 s'],
      ratio: '',
    });
    expect(rowOf('waited', waited(small, 2), waited(large, 2380))?.ratio).toBe('× 1,190');
  });

  it('gives no ratio of what is not known, and none of words', () => {
    const unknown = { ...small, fold: new SearchFold() };
    expect(rowOf('took', unknown, large)?.ratio).toBe('');
    expect(rowOf('nodes', unknown, large)?.ratio).toBe('');
    expect(rowOf('policy', small, large)?.ratio).toBe('');
    expect(rowOf('why it ended', unknown, large)?.values[0]).toBe('it still grows');
  });
});
