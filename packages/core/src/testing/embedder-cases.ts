// The suite that every embedder passes, whatever is behind it. Nothing here depends on what the vectors are, only on the
// contract of embedder/embedder.ts.

import assert from 'node:assert/strict';
import type { Embedder, EmbedderMessage, EmbedRequest } from '../embedder/embedder.ts';
import { type Checks, type ConformanceCase, casesOf, closeAfter, type Skips } from './case/conformance-case.ts';
import { Mailbox } from './case/mailbox.ts';
import { matches, same } from './case/same.ts';

export interface EmbedderHarness {
  readonly embedder: Embedder;
  /** From now on what is behind it fails, never answers, answers nonsense, or works again. */
  behave(how: 'well' | 'fail' | 'hang' | 'nonsense'): void;
  /** Lets time pass: longer than its limit, and than it rests after a failure. */
  rest(): void;
  /** The reports that it went down (`down`) and came back (`up`). */
  readonly said: readonly string[];
  close(): Promise<void>;
}

/** `open` gives a fresh embedder for each case. */
export function embedderCases(open: () => Promise<EmbedderHarness>, skips: Skips = {}): readonly ConformanceCase[] {
  const attempt = async (check: (trial: EmbedderTrial) => void | Promise<void>) => {
    const harness = await open();
    await closeAfter(
      () => check(new EmbedderTrial(harness)),
      () => harness.close(),
    );
  };
  return casesOf(checks, attempt, skips);
}

/** An embedder under test, and what it has posted. */
class EmbedderTrial {
  readonly harness: EmbedderHarness;
  readonly mail = new Mailbox<EmbedderMessage>(() => true);
  #nextId = 1;

  constructor(harness: EmbedderHarness) {
    this.harness = harness;
    harness.embedder.connect(this.mail.post);
  }

  requests(...texts: string[]): EmbedRequest[] {
    return texts.map((text) => {
      const id = this.#nextId;
      this.#nextId += 1;
      return { id, text };
    });
  }

  /** `late`: time passes before the answers come. */
  async ask(texts: readonly string[], late = false): Promise<EmbedderMessage[]> {
    const asked = this.requests(...texts);
    this.harness.embedder.embed(asked);
    if (late) this.harness.rest();
    await this.mail.answered(asked);
    this.mail.answeredOnce(asked);
    return asked.map(({ id }) => this.mail.answers(id)[0]!);
  }

  /** Codes of faults in place of vectors. */
  async vectors(...texts: string[]): Promise<(readonly number[] | string)[]> {
    const messages = await this.ask(texts);
    return messages.map((message) => (message.type === 'vector' ? message.vector : message.fault.code));
  }
}

const checks: Checks<EmbedderTrial> = {
  'answers every request once, with a vector of one length and the tokens that it took': async (trial) => {
    const messages = await trial.ask(['the disk was full', 'a lock was held', 'the disk was full']);
    const vectors = messages.flatMap((message) => (message.type === 'vector' ? [message] : []));
    same(vectors.length, 3, 'vectors for three texts');
    same(new Set(vectors.map(({ vector }) => vector.length)).size, 1, 'lengths of vectors');
    for (const { tokens } of vectors) same(typeof tokens, 'number', 'the type of `tokens`');
  },

  'gives the same text the same vector, whatever it is asked with': async (trial) => {
    const [alone] = await trial.vectors('the disk was full');
    const many = await trial.vectors(...Array.from({ length: 70 }, (_, at) => `text ${at}`), 'the disk was full');
    same(many.at(-1), alone, 'the vector of a text among 70 others');
    same(new Set(many.map(String)).size, 71, 'different vectors of 71 texts');
  },

  'takes odd texts: empty, of every alphabet, and far too long': async (trial) => {
    const found = await trial.vectors('', ' \n\t', 'Füße, 東京, 🌳', 'word '.repeat(50_000));
    for (const vector of found) assert.ok(Array.isArray(vector), `no vector but the fault '${vector}'`);
  },

  ...faultCheck('fail', 'internal'),
  ...faultCheck('hang', 'timeout'),
  ...faultCheck('nonsense', 'protocol'),

  'says once that it is down and once that it is back, and asks nobody while it rests': async (trial) => {
    const { harness } = trial;
    harness.behave('fail');
    for (const text of ['one', 'two', 'three']) same(await trial.vectors(text), ['internal'], `the reply to '${text}'`);
    harness.behave('well');
    same(await trial.vectors('four'), ['internal'], 'the reply while it rests');
    harness.rest();
    same((await trial.ask(['five']))[0]!.type, 'vector', 'the reply after the rest');
    same(harness.said, ['down', 'up'], 'what was reported');
    matches(harness.embedder.load(), { healthy: true, texts: 5, failed: 4 }, 'its load');
  },

  'answers what waits when it is closed': async (trial) => {
    const { harness, mail } = trial;
    harness.behave('hang');
    const asked = trial.requests('one', 'two');
    harness.embedder.embed(asked);
    await harness.embedder.close();
    await mail.answered(asked);
    const codes = mail.messages.map((message) => message.type === 'fault' && message.fault.code);
    same(codes, ['cancelled', 'cancelled'], 'what two requests got when it was closed');
  },
};

function faultCheck(how: 'fail' | 'hang' | 'nonsense', code: string): Checks<EmbedderTrial> {
  return {
    [`answers with a fault where what is behind it does this: ${how}`]: async (trial) => {
      trial.harness.behave(how);
      const [message] = await trial.ask(['the disk was full'], how === 'hang');
      same(message?.type === 'fault' && message.fault.code, code, 'the code of the fault');
      matches(trial.harness.embedder.load(), { healthy: false, failed: 1, waiting: 0 }, 'its load');
    },
  };
}
