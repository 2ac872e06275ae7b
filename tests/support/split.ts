// The split that a question belongs to, by a hash of its numbers: no rewording can move a test question into training. The same
// rule is in training/split.py.

import type { TaskKind } from '../../packages/llama/src/task/task.ts';

type Split = 'train' | 'calibration' | 'test';

const residues = 16;

export function splitOf(kind: TaskKind, question: string): Split {
  const residue = crc32(`${kind}:${(question.match(/\d+/g) ?? []).join(',')}`) % residues;
  if (residue === 0) return 'test';
  return residue === 1 ? 'calibration' : 'train';
}

/** CRC-32 of ASCII text, as in zlib. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let at = 0; at < text.length; at += 1) {
    crc ^= text.charCodeAt(at);
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
