// coppice on a vLLM of yours, on a GPU or on CPUs: COPPICE_VLLM names its address. It is not started here: its wheels are
// gigabytes, and those for CPUs want a torch that PyPI does not have. Without the address the tests are skipped and say so.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { run as rehearse } from '../../src/cli/commands/rehearse.ts';
import { type EngineMessage, type GenerateRequest, isAnswer } from '../../src/engine/engine.ts';
import { openRemoteEngine } from '../../src/engine/remote/open-engine.ts';
import { nodeKey, rootKey } from '../../src/tree/keys.ts';
import type { Step } from '../../src/tree/step.ts';

const url = process.env.COPPICE_VLLM;
if (url === undefined) console.log('vLLM is not tried: COPPICE_VLLM names no server');

const folder = mkdtempSync(join(tmpdir(), 'own-vllm-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The last word of the prompt is new in every run: nothing of it is in a cache. */
const prompt = { kind: 'text', text: `${'Count the stars of every constellation. '.repeat(8)}${process.pid}` } as const;

function requestOf(id: number, changes: Partial<GenerateRequest> = {}): GenerateRequest {
  return {
    id,
    search: 'own',
    prompt,
    parent: rootKey,
    path: [],
    index: id,
    sampling: { temperature: 1 },
    seed: id,
    delimiters: [],
    maxTokens: 32,
    exact: true,
    lane: 'primary',
    priority: 0,
    needs: { logprobs: true, tokens: false, seed: false },
    ...changes,
  };
}

type Answer = Extract<EngineMessage, { type: 'step' }>;

async function generate(...rounds: ((before: readonly Answer[]) => readonly GenerateRequest[])[]): Promise<Answer[]> {
  const engine = await openRemoteEngine({ servers: [{ url: url! }] });
  const answers: Answer[] = [];
  let heard = (): void => {};
  engine.connect((message) => {
    if (!isAnswer(message)) return;
    expect(message.type).toBe('step');
    answers.push(message as Answer);
    heard();
  });
  try {
    for (const round of rounds) {
      const requests = round(answers);
      const wanted = answers.length + requests.length;
      engine.generate(requests);
      while (answers.length < wanted) await new Promise<void>((resolve) => (heard = resolve));
    }
    return answers;
  } finally {
    await engine.close();
  }
}

describe.skipIf(url === undefined)('a vLLM of yours', { timeout: 300_000 }, () => {
  it('writes as many tokens as it is told to, for siblings in one request as well', async () => {
    const siblings = [0, 1, 2, 3].map((id) => requestOf(id, { expansion: 7 }));
    const answers = await generate(() => siblings);
    expect(answers.map(({ request }) => request).sort()).toEqual([0, 1, 2, 3]);
    for (const { step, usage } of answers) {
      expect(step.tokens).toBe(32);
      expect(usage.generatedTokens).toBe(32);
      expect(step.meanLogprob).toBeLessThan(0);
    }
  });

  it('finds the prompt of a step below another one in its cache', async () => {
    const below = ({ step }: { readonly step: Step }): GenerateRequest => {
      const key = nodeKey(rootKey, step);
      return requestOf(9, { parent: key, path: [{ key, step }] });
    };
    const answers = await generate(
      () => [requestOf(8)],
      ([first]) => [below(first!)],
    );
    expect(answers[1]!.usage.cachedTokens).toBeGreaterThan(16);
  });

  it('holds a rehearsal of three searches, as generator and as reward model', async () => {
    const servers = ['--engine', url!, '--verifier', url!, '--kind', 'math-shepherd'];
    const size = ['--policy', 'positive', '--requests', '3', '--rollouts', '2', '--seconds', '240'];
    expect(await rehearse([...servers, ...size, '--out', join(folder, 'out.jsonl')])).toBe(0);
  });
});
