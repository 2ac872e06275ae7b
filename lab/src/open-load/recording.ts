// Records what a real engine and verifier said, so that the simulator can repeat it: steps by question and seed (a child's
// seed is a function of its path), rewards by question and path. If the simulated run needs a child that the real run
// never drew, a step of the same question and depth stands in, and is counted.

import { isAnswer, type PathStep } from '@coppice/core/engine';
import type { RewardSource, StepSource } from '@coppice/sim/engine';
import type {
  Engine,
  EngineMessage,
  GenerateRequest,
  Prompt,
  ScoreRequest,
  Step,
  Verifier,
  VerifierMessage,
} from 'coppice';
import { delegate } from './delegate.ts';

export class Recording implements StepSource, RewardSource {
  readonly #steps = new Map<string, Step>();
  /** Steps by path and tokens: siblings that wrote the same are one step, and lie in a cache once. */
  readonly #distinct = new Map<string, Step>();
  readonly #rewards = new Map<string, number>();
  readonly #promptTokens = new Map<string, number>();
  /** Steps and rewards of one question at one depth, for children that were never seen. */
  readonly #standIns = new Map<string, Step[]>();
  readonly #standInRewards = new Map<string, number[]>();
  hits = 0;
  misses = 0;

  /** The engine, with everything it says kept. */
  listenTo(engine: Engine): Engine {
    const asked = new Map<number, GenerateRequest>();
    return delegate(engine, {
      connect: (post: (message: EngineMessage) => void) =>
        engine.connect((message) => {
          const request = asked.get(message.request);
          if (message.type === 'step' && request !== undefined) {
            const { computedTokens, cachedTokens } = message.usage;
            this.#keepStep(request, message.step, computedTokens + cachedTokens);
          }
          if (isAnswer(message)) asked.delete(message.request);
          post(message);
        }),
      generate: (requests: readonly GenerateRequest[]) => {
        for (const request of requests) asked.set(request.id, request);
        engine.generate(requests);
      },
    });
  }

  listenToVerifier(verifier: Verifier): Verifier {
    const asked = new Map<number, ScoreRequest>();
    return delegate(verifier, {
      connect: (post: (message: VerifierMessage) => void) =>
        verifier.connect((message) => {
          const request = asked.get(message.request);
          if (message.type === 'score' && request !== undefined) this.#keepReward(request, message.reward);
          if (isAnswer(message)) asked.delete(message.request);
          post(message);
        }),
      score: (requests: readonly ScoreRequest[]) => {
        for (const request of requests) asked.set(request.id, request);
        verifier.score(requests);
      },
    });
  }

  promptTokens(prompt: Prompt): number {
    return this.#promptTokens.get(promptKey(prompt)) ?? 16;
  }

  draw(request: GenerateRequest): Step {
    const key = promptKey(request.prompt);
    const known = this.#steps.get(`${key}|${request.seed}`);
    if (known !== undefined) {
      this.hits += 1;
      return known;
    }
    this.misses += 1;
    const others = this.#standIns.get(`${key}|${request.path.length}`) ?? [unseen];
    return others[request.seed % others.length]!;
  }

  reward(prompt: Prompt, path: readonly PathStep[], step: Step): number {
    const known = this.#rewards.get(pathKey(prompt, path, step));
    if (known !== undefined) return known;
    const others = this.#standInRewards.get(`${promptKey(prompt)}|${path.length}`) ?? [0.5];
    return others[step.text.length % others.length]!;
  }

  #keepStep(request: GenerateRequest, said: Step, prefixTokens: number): void {
    const key = promptKey(request.prompt);
    const same = `${pathKey(request.prompt, request.path, said)}|${said.tokenIds?.join() ?? said.tokens}`;
    const step = this.#distinct.get(same) ?? said;
    this.#distinct.set(same, step);
    this.#steps.set(`${key}|${request.seed}`, step);
    if (request.path.length === 0) this.#promptTokens.set(key, prefixTokens);
    push(this.#standIns, `${key}|${request.path.length}`, step);
  }

  #keepReward({ prompt, path, step }: ScoreRequest, reward: number): void {
    this.#rewards.set(pathKey(prompt, path, step), reward);
    push(this.#standInRewards, `${promptKey(prompt)}|${path.length}`, reward);
  }
}

const unseen: Step = { text: 'unseen\n', tokens: 12, meanLogprob: -0.5, end: 'eos' };

function promptKey(prompt: Prompt): string {
  return prompt.kind === 'text' ? prompt.text : JSON.stringify(prompt.messages);
}

function pathKey(prompt: Prompt, path: readonly PathStep[], step: Step): string {
  return [promptKey(prompt), ...path.map((each) => each.step.text), step.text].join('\u0000');
}

function push<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}
