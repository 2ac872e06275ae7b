import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PathStep } from '@coppice/core/engine';
import { nodeKey, type Prompt, rootKey } from '@coppice/core/tree';
import { expect, it } from 'vitest';
import { generateRequest } from '../../../../tests/support/requests.ts';
import { questionsOf, type SimulatedQuestions } from '../questions.ts';
import { traceStreamOf } from './traced-questions.ts';

const file = join(mkdtempSync(join(tmpdir(), 'trace-')), 'requests.jsonl');
const lengths = [2, 40, 300, 4000];
writeFileSync(
  file,
  lengths
    .map((length, at) =>
      JSON.stringify({ timestamp: 10 * at, input_length: 600, output_length: length, hash_ids: [1, at] }),
    )
    .join('\n'),
);

/** One path to its end; its tokens. */
function pathTokens(questions: SimulatedQuestions, prompt: Prompt, index: number): number {
  const path: PathStep[] = [];
  let [parent, tokens] = [rootKey, 0];
  while (path.at(-1)?.step.end !== 'eos') {
    const request = { ...generateRequest(0), prompt, parent, path: [...path], index: path.length === 0 ? index : 0 };
    const step = questions.draw({ ...request, delimiters: ['\n'], maxTokens: 100_000 });
    parent = nodeKey(parent, step);
    path.push({ key: parent, step });
    tokens += step.tokens;
  }
  return tokens;
}

it('has the prompts of the trace, and answers whose mean length is that of the trace', () => {
  const questions = questionsOf({ setting: 'math500/8b', seed: 1, trace: { file } });
  for (const [at, length] of lengths.entries()) {
    const prompt = questions.promptOf(at);
    expect(questions.promptTokens(prompt)).toBe(600);
    expect(questions.promptBlocks?.(prompt)).toEqual({ names: [1, at], tokens: 512 });
    const drawn = Array.from({ length: 600 }, (_, index) => pathTokens(questions, prompt, index));
    const mean = drawn.reduce((sum, each) => sum + each, 0) / drawn.length;
    // Below a token a step nothing can be written: two tokens come out as a little over two.
    expect(mean / length, `${length} tokens`).toBeGreaterThan(0.95);
    expect(mean / length, `${length} tokens`).toBeLessThan(length === 2 ? 1.5 : 1.05);
  }
});

it('leaves out what does not fit the machine, at the times of the rest', () => {
  const { trace } = traceStreamOf({ file, roomTokens: 4000 });
  expect(trace.requests.map(({ answerTokens }) => answerTokens)).toEqual([2, 40, 300]);
  expect(() => traceStreamOf({ file, roomTokens: 1700 })).toThrow(/3 of its requests do not fit the machine/);
});
