import { describe } from 'vitest';
import { journalConformance } from '../../../tests/conformance/journal.ts';
import { MemoryJournal } from './memory-journal.ts';

describe('the journal in memory', () => {
  journalConformance(() => ({ open: (texts) => new MemoryJournal(texts) }));
});
