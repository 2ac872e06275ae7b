// An engine of your own, tested with the suite that coppice's engines pass.

import { type EngineHarness, engineCases, prove } from '@coppice/core/testing';
import type { Engine, GenerateRequest, Step } from 'coppice';

const load = { runningSequences: 0, waitingSequences: 0, sequenceLimit: undefined, stepMs: undefined, healthy: true };
const can = { seeded: true, logprobs: false, streams: false, priorities: false, countsCache: false };
const trees = ['oak ', 'elm ', 'ash ', 'yew '];

/** Writes three trees per step, one per token. The seed chooses them; at temperature 0 the depth does. */
function write({ path, seed, sampling, delimiters, maxTokens }: GenerateRequest): Step {
  const first = sampling.temperature === 0 ? path.length : seed;
  const tokens = Math.min(3, maxTokens);
  const text = Array.from({ length: tokens }, (_, at) => trees[(first + at) % trees.length]).join('');
  if (tokens === maxTokens) return { text, tokens, meanLogprob: 0, end: 'length' };
  const [delimiter] = delimiters;
  if (delimiter === undefined || path.length >= 3) return { text, tokens, meanLogprob: 0, end: 'eos' };
  return { text: text + delimiter, tokens, meanLogprob: 0, end: 'delimiter' };
}

/** Answers at once: no request waits, so there is nothing to cancel. */
function treesEngine(): Engine {
  let post: Parameters<Engine['connect']>[0] = () => {};
  return {
    capabilities: { name: 'trees', ...can, contextTokens: undefined },
    connect: (to) => {
      post = to;
    },
    generate: (requests) => {
      for (const request of requests) {
        const step = write(request);
        const usage = { computedTokens: 1, cachedTokens: 0, generatedTokens: step.tokens };
        post({ type: 'step', request: request.id, step, usage });
      }
    },
    cancel: () => {},
    release: () => {},
    load: () => load,
    close: async () => {},
  };
}

async function open(): Promise<EngineHarness> {
  const engine = treesEngine();
  const prompt = { kind: 'text', text: 'Once' } as const;
  return { engine, prompt, delimiters: ['\n'], maxTokens: 16, work: async () => {}, close: () => engine.close() };
}

await prove(engineCases(open));
console.log('trees: its cases hold');
