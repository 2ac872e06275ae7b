import { describe, expect, it } from 'vitest';
import type { SearchJson } from '../../../../src/wire/search-json.ts';
import { chosen, type RecentChoice } from './recent-choice.ts';

const searches = [
  {
    id: 'a',
    title: 'How many?',
    answer: '24',
    verdict: 'accepted',
    created_ms: 0,
    ended_ms: 50,
    summary: { tokens: 9 },
  },
  { id: 'b', title: 'Where?', answer: 'Paris', verdict: 'likely', created_ms: 40, ended_ms: 60, summary: null },
  { id: 'c', title: null, answer: null, verdict: null, created_ms: 10, ended_ms: 40, summary: { tokens: 80 } },
] as unknown as readonly SearchJson[];

function idsOf(choice: Partial<RecentChoice>): string {
  return chosen(searches, { words: '', verdict: '', order: 'newest', ...choice })
    .map(({ id }) => id)
    .join('');
}

describe('the list of recent searches', () => {
  it('is in the order that the reader wants', () => {
    expect(idsOf({})).toBe('bac');
    expect(idsOf({ order: 'slowest' })).toBe('acb');
    expect(idsOf({ order: 'most tokens' })).toBe('cab');
  });

  it('looks for words in question and answer, and for a verdict', () => {
    expect(idsOf({ words: ' PARIS ' })).toBe('b');
    expect(idsOf({ words: 'how' })).toBe('a');
    expect(idsOf({ verdict: 'likely', words: 'how' })).toBe('');
    expect(idsOf({ verdict: 'accepted' })).toBe('a');
  });
});
