import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Inbox } from '../../../../tests/support/inbox.ts';
import { generateRequest } from '../../../../tests/support/requests.ts';
import { writeTinyModel } from '../../../../tests/support/tiny-gguf.ts';
import type { EngineMessage } from '../../../core/src/engine/engine.ts';
import { LlamaEngine } from './llama-engine.ts';

let folder: string;
let model: string;
let endless: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-engine-'));
  model = join(folder, 'random.gguf');
  endless = join(folder, 'endless.gguf');
  writeTinyModel(model, { kind: 'random', seed: 3 });
  writeTinyModel(endless, { kind: 'bigram', logit: (_, next) => (next === 97 ? 20 : 0) });
});

afterAll(() => rmSync(folder, { recursive: true }));

describe('LlamaEngine', () => {
  it('streams the text of a step before the step itself', async () => {
    const engine = await LlamaEngine.open({ model });
    const inbox = new Inbox<EngineMessage>();
    engine.connect(inbox.post);
    engine.generate([generateRequest(1), generateRequest(2)]);
    await inbox.answered(2);
    for (const id of [1, 2]) {
      const own = inbox.messages.filter((message) => message.request === id);
      const text = own.map((message) => (message.type === 'token' ? message.text : '')).join('');
      const last = own.at(-1);
      expect(last?.type === 'step' && last.step.text).toBe(text);
    }
    expect(engine.load()).toMatchObject({ runningSequences: 0, waitingSequences: 0, healthy: true });
    expect(engine.load().stepMs).toBeGreaterThan(0);
    await engine.close();
  });

  it('reads its file again once its weights have changed, and not while it is at work', async () => {
    const changing = join(folder, 'changing.gguf');
    writeTinyModel(changing, { kind: 'random', seed: 3 });
    const engine = await LlamaEngine.open({ model: changing });
    const inbox = new Inbox<EngineMessage>();
    engine.connect(inbox.post);
    const request = { maxTokens: 4, delimiters: [], sampling: { temperature: 0 } };
    engine.generate([generateRequest(1, request)]);
    await inbox.answered(1);
    rmSync(changing); // the new file gets a new inode: the old one is mapped into memory
    writeTinyModel(changing, { kind: 'bigram', logit: (_, next) => (next === 97 ? 20 : 0) });
    await engine.reload();
    engine.generate([generateRequest(2, request)]);
    await inbox.answered(2);
    const texts = inbox.answers.map((each) => each.type === 'step' && each.step.text);
    expect(texts[1]).toBe('aaaa');
    expect(texts[0]).not.toBe('aaaa');
    engine.generate([generateRequest(3, { maxTokens: 4000, delimiters: [] })]);
    await expect(engine.reload()).rejects.toThrow('1 requests are under way');
    await engine.close();
  });

  it('tells what a model read, token by token, where that is wanted', async () => {
    const engine = await LlamaEngine.open({ model });
    const inbox = new Inbox<EngineMessage>();
    engine.connect(inbox.post);
    const needs = { logprobs: true, tokens: false, seed: true };
    // `ab` is one token of this vocabulary.
    const prompt = { kind: 'text', text: 'abc' } as const;
    engine.generate([generateRequest(1, { prompt, needs: { ...needs, record: true } })]);
    engine.generate([generateRequest(2, { prompt, needs })]);
    await inbox.answered(2);
    const [told, untold] = inbox.answers.toSorted((a, b) => a.request - b.request);
    expect(told).toMatchObject({ read: { ids: [256, 99] } });
    expect(untold).not.toHaveProperty('read');
    await engine.close();
  });

  it('refuses a schema that names nothing but itself, and holds others to theirs, cancelled ones too', async () => {
    const engine = await LlamaEngine.open({ model });
    const inbox = new Inbox<EngineMessage>();
    engine.connect(inbox.post);
    const shapes = [{ $ref: '#' }, { enum: ['ü "quoted"'] }, { type: 'array', items: { type: 'string' }, minItems: 9 }];
    const more = { delimiters: [], maxTokens: 200 };
    engine.generate(shapes.map((shape, id) => generateRequest(id, { ...more, shape })));
    engine.cancel([2]);
    await inbox.answered(3);
    const told = inbox.answers.map((each) =>
      each.type === 'fault' ? each.fault.code : each.type === 'step' && each.step,
    );
    expect(told).toContain('unsupported');
    expect(told).toContain('cancelled');
    expect(told).toContainEqual(expect.objectContaining({ text: '"ü \\"quoted\\""', end: 'eos' }));
    await engine.close();
  });

  it('cancels 500 running requests, answers each once, and frees every cell at the next decode', async () => {
    const engine = await LlamaEngine.open({ model: endless, sequences: 63 });
    const inbox = new Inbox<EngineMessage>();
    engine.connect(inbox.post);
    const ids = [...Array(500).keys()];
    engine.generate(ids.map((id) => generateRequest(id, { maxTokens: 100_000, search: `s${id % 10}` })));
    await inbox.until(() => inbox.messages.length > 200);
    engine.cancel(ids);
    for (let search = 0; search < 10; search++) engine.release(`s${search}`);
    await inbox.answered(500);
    expect(inbox.answers.every((message) => message.type === 'fault' && message.fault.code === 'cancelled')).toBe(true);
    engine.generate([generateRequest(1000, { maxTokens: 1 })]);
    await inbox.answered(501);
    engine.release('search');
    engine.generate([generateRequest(1001, { maxTokens: 1, search: 'other', prompt: { kind: 'text', text: 'x' } })]);
    await inbox.answered(502);
    expect(engine.counts.usedCells).toBe(1); // the one token of the last prompt
    await engine.close();
  });

  it('answers what is outstanding when it is closed, and what comes after', async () => {
    const engine = await LlamaEngine.open({ model: endless });
    const inbox = new Inbox<EngineMessage>();
    engine.connect(inbox.post);
    engine.generate([generateRequest(1, { maxTokens: 100_000 })]);
    const closed = engine.close();
    engine.generate([generateRequest(2)]);
    await closed;
    expect(inbox.answers.map((message) => [message.request, message.type])).toEqual([
      [1, 'fault'],
      [2, 'fault'],
    ]);
    expect(engine.load().healthy).toBe(false);
  });

  it('says why it cannot open a model', async () => {
    await expect(LlamaEngine.open({ model: join(folder, 'none.gguf') })).rejects.toThrow(/there is no model file/);
  });

  it('gives a search the same steps through two engines side by side', async () => {
    const engines = await Promise.all([LlamaEngine.open({ model }), LlamaEngine.open({ model })]);
    const texts = await Promise.all(
      engines.map(async (engine) => {
        const inbox = new Inbox<EngineMessage>();
        engine.connect(inbox.post);
        engine.generate([1, 2, 3].map((id) => generateRequest(id)));
        await inbox.answered(3);
        const byId = inbox.answers.toSorted((left, right) => left.request - right.request);
        return byId.map((message) => (message.type === 'step' ? message.step.text : message.type));
      }),
    );
    expect(texts[0]).toEqual(texts[1]);
    await Promise.all(engines.map((engine) => engine.close()));
  });
});
