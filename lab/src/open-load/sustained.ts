// A contender's rate on a real engine with all questions there at once, by the simulator's definition (sim/capacity.ts): tokens per
// second while searches wait, over those of a mean search. A backlog that ends soon is mostly a tail in which few searches run.

import type { GoldQuestion } from '@coppice/core/answering';
import { isAnswer } from '@coppice/core/engine';
import type { Engine, EngineMessage, GenerateRequest } from 'coppice';
import { runBlock } from 'coppice/bench';
import type { BenchContender, BenchContest } from '../contest-shapes.ts';
import { type SearchEnd, saturatedRate } from '../saturated-rate.ts';
import { type BacklogEnds, servedRate } from '../sim/capacity.ts';
import { delegate } from './delegate.ts';

/** Questions a second. */
export async function sustained(
  contest: BenchContest,
  contender: BenchContender,
  questions: readonly GoldQuestion[],
): Promise<number> {
  const meter = new BacklogMeter(questions.length);
  const model = { ...contest.model, engine: meter.listenTo(contest.model.engine) };
  const atOnce = { ...contest, model, settings: { ...contest.settings, concurrency: questions.length } };
  const fromMs = performance.now();
  await runBlock(atOnce, contender, questions, ({ generatedTokens }) => {
    meter.end(performance.now() - fromMs, generatedTokens);
  });
  return meter.rate;
}

export class BacklogMeter {
  readonly #searches: number;
  /** Searches that asked for a first step: they no longer wait. */
  readonly #begun = new Set<string>();
  readonly #ends: SearchEnd[] = [];
  readonly #served: BacklogEnds['served'][number][] = [];
  #tokens = 0;

  constructor(searches: number) {
    this.#searches = searches;
  }

  /** The engine, with its tokens counted as steps come, those of searches that go on included. */
  listenTo(engine: Engine): Engine {
    return delegate(engine, {
      connect: (post: (message: EngineMessage) => void) =>
        engine.connect((message) => {
          if (isAnswer(message)) this.#tokens += message.usage?.generatedTokens ?? 0;
          post(message);
        }),
      generate: (requests: readonly GenerateRequest[]) => {
        for (const { search } of requests) this.#begun.add(search);
        engine.generate(requests);
      },
    });
  }

  end(endedMs: number, tokens: number): void {
    this.#served.push({ endedMs, tokens });
    this.#ends.push({ atMs: endedMs, tokens: this.#tokens, waiting: this.#searches - this.#begun.size });
  }

  get rate(): number {
    const backlog = { served: this.#served, saturatedTokensPerSecond: saturatedRate(this.#ends) };
    return servedRate(backlog, this.#ends.filter(({ waiting }) => waiting > 0).length);
  }
}
