// What every embedder must do, whatever is behind it. A suite of vitest tests over a harness. Nothing here depends on what the
// vectors are, only on the contract of src/embedder/embedder.ts.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Embedder, EmbedderMessage, EmbedRequest } from '../../src/embedder/embedder.ts';
import { Inbox } from '../support/inbox.ts';

export interface EmbedderHarness {
  readonly embedder: Embedder;
  /** From now on what is behind it fails, never answers, answers nonsense, or works again. */
  behave(how: 'well' | 'fail' | 'hang' | 'nonsense'): void;
  /** Lets time pass: longer than its limit, and than it rests after a failure. */
  rest(): void;
  /** What was said of going down and coming back. */
  readonly said: readonly string[];
  close(): Promise<void>;
}

export function embedderConformance(name: string, open: () => Promise<EmbedderHarness>): void {
  describe(`embedder conformance: ${name}`, () => {
    let harness: EmbedderHarness;
    let inbox: Inbox<EmbedderMessage>;
    let nextId: number;

    beforeEach(async () => {
      harness = await open();
      inbox = new Inbox();
      nextId = 1;
      harness.embedder.connect(inbox.post);
    });
    afterEach(() => harness.close());

    const requests = (...texts: string[]): EmbedRequest[] => texts.map((text) => ({ id: nextId++, text }));

    /** `late`: time passes before the answers come. */
    const ask = async (texts: readonly string[], late = false): Promise<EmbedderMessage[]> => {
      const asked = requests(...texts);
      const of = (id: number) => inbox.messages.filter(({ request }) => request === id);
      harness.embedder.embed(asked);
      if (late) harness.rest();
      await inbox.until(() => asked.every(({ id }) => of(id).length > 0));
      for (const { id } of asked) expect(of(id)).toHaveLength(1);
      return asked.map(({ id }) => of(id)[0]!);
    };

    const vectors = async (...texts: string[]) =>
      (await ask(texts)).map((message) => (message.type === 'vector' ? message.vector : message.fault.code));

    it('answers every request once, with a vector of one length and the tokens that it took', async () => {
      const messages = await ask(['the disk was full', 'a lock was held', 'the disk was full']);
      expect(messages.map(({ type }) => type)).toEqual(['vector', 'vector', 'vector']);
      const lengths = messages.map((message) => (message.type === 'vector' ? message.vector.length : 0));
      expect(new Set(lengths).size).toBe(1);
      for (const message of messages) expect(message).toMatchObject({ tokens: expect.any(Number) });
    });

    it('gives the same text the same vector, whatever it is asked with', async () => {
      const [alone] = await vectors('the disk was full');
      const many = await vectors(...Array.from({ length: 70 }, (_, at) => `text ${at}`), 'the disk was full');
      expect(many.at(-1)).toEqual(alone);
      expect(new Set(many.map(String)).size).toBe(71);
    });

    it('takes odd texts: empty, of every alphabet, and far too long', async () => {
      const found = await vectors('', ' \n\t', 'Füße, 東京, 🌳', 'word '.repeat(50_000));
      for (const vector of found) expect(Array.isArray(vector)).toBe(true);
    });

    it.each([
      ['fail', 'internal'],
      ['hang', 'timeout'],
      ['nonsense', 'protocol'],
    ] as const)('answers with a fault where what is behind it does this: %s', async (how, code) => {
      harness.behave(how);
      expect(await ask(['the disk was full'], how === 'hang')).toMatchObject([{ type: 'fault', fault: { code } }]);
      expect(harness.embedder.load()).toMatchObject({ healthy: false, failed: 1, waiting: 0 });
    });

    it('says once that it is down and once that it is back, and asks nobody while it rests', async () => {
      harness.behave('fail');
      for (const text of ['one', 'two', 'three']) expect(await vectors(text)).toEqual(['internal']);
      harness.behave('well');
      expect(await vectors('four')).toEqual(['internal']);
      harness.rest();
      expect((await ask(['five']))[0]!.type).toBe('vector');
      expect(harness.said).toEqual(['down', 'up']);
      expect(harness.embedder.load()).toMatchObject({ healthy: true, texts: 5, failed: 4 });
    });

    it('answers what waits when it is closed', async () => {
      harness.behave('hang');
      const asked = requests('one', 'two');
      harness.embedder.embed(asked);
      await harness.embedder.close();
      await inbox.answered(2);
      expect(inbox.messages.map((message) => message.type === 'fault' && message.fault.code)).toEqual([
        'cancelled',
        'cancelled',
      ]);
    });
  });
}
