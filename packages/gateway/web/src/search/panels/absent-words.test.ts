import { expect, it } from 'vitest';
import { SearchFold } from '../../../../../core/src/log/fold.ts';
import type { TreeEvent } from '../../../../../core/src/tree/events.ts';
import { absentWords } from './absent-words.ts';

it('names absent models and why, from the log alone', () => {
  const fold = new SearchFold();
  const asked = { type: 'asked', strand: 0, node: 0, sampling: { temperature: 1 } } as const;
  const step = { text: 'a', tokens: 1, meanLogprob: 0, end: 'eos', model: 'small' } as const;
  const events: TreeEvent[] = [
    { type: 'planted', aggregation: 'product' },
    { type: 'opened', strand: 0, node: 0 },
    { ...asked, indices: [0], manner: { model: 'small' } },
    { type: 'grown', node: 1, parent: 0, key: 5, index: 0, step, terminal: true },
    { ...asked, indices: [1], manner: { model: 'big' } },
  ];
  const add = (event: TreeEvent) => fold.apply({ search: 's', sequence: fold.sequence + 1, atMs: 0, event });
  events.forEach(add);
  expect(absentWords(fold)).toBe('');
  add({ type: 'withered', parent: 0, index: 1, code: 'timeout', model: 'big' });
  expect(absentWords(fold)).toBe('Absent: big (timeout). Other models write in their place.');
  add({ ...asked, indices: [2], manner: { model: 'small' } });
  add({ type: 'withered', parent: 0, index: 2, code: 'refused', model: 'small' });
  expect(absentWords(fold)).toBe('Absent: small (refused), big (timeout). No other model is left.');
  expect(fold.fault).toBeUndefined();
});
