// An engine and a verifier of your own. An engine answers every request with one `step` or `fault`; a verifier with one `score`.

import { type Engine, makeModel, search, type Verifier } from 'coppice';

const load = { runningSequences: 0, waitingSequences: 0, sequenceLimit: undefined, stepMs: undefined, healthy: true };
const can = { seeded: true, logprobs: true, streams: false, priorities: false, countsCache: false };

/** Counts down from 3, then gives an answer that depends on the seed. */
function countdownEngine(): Engine {
  let post: Parameters<Engine['connect']>[0] = () => {};
  return {
    capabilities: { name: 'countdown', ...can, contextTokens: 1000 },
    connect: (to) => {
      post = to;
    },
    generate: (requests) => {
      for (const { id, path, seed } of requests) {
        const last = path.length >= 3;
        const text = last ? `The answer is ${seed % 4}.` : `${3 - path.length} to go\n\n`;
        const step = { text, tokens: 4, meanLogprob: -0.5, end: last ? ('eos' as const) : ('delimiter' as const) };
        const usage = { computedTokens: 1, cachedTokens: 0, generatedTokens: 4 };
        post({ type: 'step', request: id, step, usage });
      }
    },
    cancel: () => {},
    release: () => {},
    load: () => load,
    close: async () => {},
  };
}

/** Scores only the answer 2 highly. */
function pickyVerifier(): Verifier {
  let post: Parameters<Verifier['connect']>[0] = () => {};
  return {
    capabilities: { name: 'picky', aggregation: 'product', reusesPrefix: true },
    connect: (to) => {
      post = to;
    },
    score: (requests) => {
      for (const { id, step } of requests) {
        const reward = step.end === 'delimiter' || step.text.includes('answer is 2') ? 1 : 0.1;
        post({ type: 'score', request: id, reward, usage: { computedTokens: 1, cachedTokens: 0 } });
      }
    },
    cancel: () => {},
    release: () => {},
    load: () => ({ waiting: 0, healthy: true }),
    close: async () => {},
  };
}

const model = makeModel({ engine: countdownEngine(), verifier: pickyVerifier(), budget: 4 });
const { answer, score, exit } = await search('how many?', { model, program: 'mcts', rollouts: 32 });
console.log(`${exit.kind}: ${answer}, score ${score}`);
await model.close();
