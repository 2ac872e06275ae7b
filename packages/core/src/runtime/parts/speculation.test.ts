import { expect, it } from 'vitest';
import { essence, run } from '../../../../../tests/support/toy-run.ts';
import { createBeam } from '../../../../papers/src/levels/beam.ts';
import { createRefine } from '../../../../papers/src/refine/refine.ts';
import { VirtualClock } from '../../base/clock.ts';
import type { Engine, EngineMessage, GenerateRequest, RequestId } from '../../engine/engine.ts';
import type { SearchEvent } from '../../log/events.ts';
import { algorithm1Scheduler } from '../../scheduler/algorithm-1.ts';
import { naturalWidths } from '../../scheduler/widths.ts';
import type { Verifier, VerifierMessage } from '../../verifier/verifier.ts';
import { Runtime } from '../runtime.ts';
import type { SearchRequest } from '../search/request.ts';

/** An engine that writes what the test says, and a verifier that scores a step at once: its text is its reward. */
function world(budget: number) {
  const open = new Map<RequestId, GenerateRequest>();
  const cancelled: RequestId[] = [];
  const unscored: (() => void)[] = [];
  let post: (message: EngineMessage) => void = () => {};
  let postScore: (message: VerifierMessage) => void = () => {};
  const flags = { seeded: true, logprobs: true, streams: false, priorities: true, countsCache: true };
  const load = { runningSequences: 0, waitingSequences: 0, sequenceLimit: undefined, stepMs: undefined, healthy: true };
  const engine: Engine = {
    capabilities: { name: 'told', ...flags, contextTokens: undefined },
    connect: (to) => {
      post = to;
    },
    generate: (requests) => {
      for (const request of requests) open.set(request.id, request);
    },
    cancel: (ids) => void cancelled.push(...ids),
    release: () => {},
    load: () => load,
    close: async () => {},
  };
  const verifier: Verifier = {
    capabilities: { name: 'text', aggregation: 'product', reusesPrefix: true },
    connect: (to) => {
      postScore = to;
    },
    score: (requests) => {
      for (const { id: request, step } of requests) {
        const usage = { computedTokens: 1, cachedTokens: 0 };
        unscored.push(() => postScore({ type: 'score', request, reward: Number.parseFloat(step.text), usage }));
      }
    },
    cancel: () => {},
    release: () => {},
    load: () => ({ waiting: 0, healthy: true }),
    close: async () => {},
  };
  const scheduling = { name: 'natural', widths: naturalWidths } as const;
  const scheduler = algorithm1Scheduler({ ...scheduling, speculate: 8 });
  const events: SearchEvent[] = [];
  const onEvent = ({ event }: { readonly event: SearchEvent }) => void events.push(event);
  const runtime = new Runtime({ engine, verifier, scheduler, budget, clock: new VirtualClock(), onEvent });
  const settle = () => {
    do runtime.step();
    while (runtime.hasMail);
  };
  const request: Omit<SearchRequest, 'id'> = {
    prompt: { kind: 'text', text: 'q' },
    seed: 1,
    priority: 0,
    delimiters: ['\n'],
    stepTokens: 8,
    program: createBeam({ beams: 1, candidates: 2 }),
    limits: { threshold: 1, rollouts: 2 },
    rules: { exits: [], prunes: [], boost: false },
    extract: (text) => text,
  };
  return {
    cancelled,
    cost: () => runtime.running.get('a')!.cost(),
    guessesAtEnd: () => {
      runtime.cancel('a');
      settle();
      return events.flatMap((event) => (event.type === 'exited' ? [event.guesses] : []))[0];
    },
    submit: (id: string) => {
      runtime.submit({ ...request, id });
      settle();
    },
    score: () => {
      for (const score of unscored.splice(0)) score();
      settle();
    },
    write: (id: RequestId, text: string) => {
      open.delete(id);
      const step = { text: `${text}\n`, tokens: 1, meanLogprob: -1, end: 'delimiter' } as const;
      const usage = { computedTokens: 1, cachedTokens: 0, generatedTokens: 1 };
      post({ type: 'step', request: id, step, usage });
      settle();
    },
    /** What is being generated in a lane, by the last step before it. */
    generating: (lane: GenerateRequest['lane']) =>
      [...open.values()].filter((each) => each.lane === lane).map(({ id, path }) => [id, path.at(-1)?.step.text]),
  };
}

it('what a complete level does not choose is given up at once', () => {
  const { submit, write, score, generating, cancelled } = world(4);
  submit('a');
  write(1, '0.5');
  score();
  expect(generating('speculative')).toEqual([
    [4, '0.5\n'],
    [5, '0.5\n'],
  ]);
  write(2, '0.9');
  score();
  expect(cancelled).toEqual([4, 5]);
  expect(generating('primary').map(([, before]) => before)).toEqual(['0.9\n', '0.9\n']);
});

it('gives its strands to a search that arrives, in the very step', () => {
  const { submit, write, score, generating, cancelled } = world(2);
  submit('a');
  write(1, '0.5');
  score();
  expect(generating('speculative')).toHaveLength(2);
  submit('b');
  expect(cancelled).toEqual([4, 5]);
  expect(generating('primary').map(([id]) => id)).toEqual([2, 6, 7]);
});

it('counts the tokens that speculation has saved, and those that it has cost', () => {
  for (const last of ['0.4', '0.9']) {
    const { submit, write, score, cost, guessesAtEnd } = world(4);
    submit('a');
    write(1, '0.5');
    score();
    write(4, '0.8');
    score();
    write(2, last);
    score();
    write(5, '0.1');
    const { adoptedTokens, forsakenTokens, speculativeTokens } = cost();
    // Below the chosen step both guesses were right, one come and one on its way; below the other one, both wrong.
    const isRight = last === '0.4';
    expect([adoptedTokens, forsakenTokens, speculativeTokens]).toEqual(isRight ? [2, 0, 0] : [0, 1, 1]);
    const right = isRight ? 2 : 0;
    const { byDistance, byDepth } = guessesAtEnd()!;
    expect(byDistance[0]).toEqual({ guessed: 2, right });
    expect(byDepth.slice(0, 2)).toEqual([
      { guessed: 0, right: 0 },
      { guessed: 2, right },
    ]);
  }
});

it('a repair of an answer that is still a ghost is written after the words for that answer', () => {
  let ahead = 0;
  for (let seed = 0; seed < 12; seed += 1) {
    const setting = { create: () => createRefine({ rollouts: 8 }), seed, weather: seed, threshold: 1 };
    const plain = run({ ...setting, width: { primary: 1, speculative: 0 } });
    const guessing = run({ ...setting, width: { primary: 1, speculative: 3 } });
    const turns = guessing.engine.requests.filter(({ path }) => path.at(-1)?.step.turn !== undefined);
    ahead += turns.filter(({ lane }) => lane === 'speculative').length;
    // What it was worth is unknown only where the answer itself was not found.
    for (const { path } of turns) expect(path.at(-1)!.step.turn).not.toContain('worth 0.00');
    expect(essence(guessing)).toEqual(essence(plain));
  }
  expect(ahead).toBeGreaterThan(20);
});
