// The two readings of the shipped reward model (models/README.md): is this step right in itself, and does the path so far still lead to the
// answer.

export const readings = {
  step: { good: '+', bad: '-', marker: '', aggregation: 'product' },
  promise: { good: '!', bad: '?', marker: '', aggregation: 'last' },
} as const;

export type ReadingName = keyof typeof readings;
