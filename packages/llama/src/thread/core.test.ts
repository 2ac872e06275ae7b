import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateRequest } from '../../../../tests/support/requests.ts';
import { byteToken, END_OF_SEQUENCE, writeTinyModel } from '../../../../tests/support/tiny-gguf.ts';
import type { GenerateRequest, PathStep } from '../../../core/src/engine/engine.ts';
import { below, pathOf, tipKey } from '../../../core/src/testing/case/paths.ts';
import type { Step } from '../../../core/src/tree/step.ts';
import { type Binding, loadBinding } from '../native/binding.ts';
import { findLibrary } from '../native/platform.ts';
import type { CoreMessage } from './answers.ts';
import { Core } from './core.ts';
import type { CoreOptions } from './core-options.ts';

let folder: string;
let binding: Binding;
const models: Record<string, string> = {};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-core-'));
  binding = loadBinding(findLibrary());
  const write = (
    name: string,
    ...model: Parameters<typeof writeTinyModel> extends [string, ...infer Rest] ? Rest : never
  ) => {
    models[name] = join(folder, `${name}.gguf`);
    writeTinyModel(models[name], ...model);
  };
  write('random', { kind: 'random', seed: 7 });
  // 'a' to 'y' follow the alphabet, then "x\n" would come: after 'y' comes the pair token "\n\n", then the end.
  const follows = new Map([
    [byteToken('y'), 258],
    [258, END_OF_SEQUENCE],
  ]);
  const next = (token: number) => follows.get(token) ?? (token + 1) % 256;
  write('alphabet', { kind: 'bigram', logit: (token, after) => (after === next(token) ? 20 : 0) });
  write('broken-utf8', { kind: 'bigram', logit: (_, after) => (after === 0xe2 ? 20 : 0) });
  const template =
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}" +
    '{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}';
  write('chat', { kind: 'random', seed: 7, chatTemplate: template });
});

afterAll(() => rmSync(folder, { recursive: true }));

const defaults: Omit<CoreOptions, 'model'> = {
  kvTokens: 2048,
  threads: 1,
  sequences: 32,
  rowLimit: 63,
  bulkRows: 512,
  flashAttention: true,
  tokenIdsOf: 'own',
};

class Bench {
  readonly messages: CoreMessage[] = [];
  readonly core: Core;

  constructor(model: string, options: Partial<CoreOptions> = {}) {
    const settings = { ...defaults, model: models[model] ?? model, ...options };
    this.core = new Core(binding, settings, (message) => this.messages.push(message));
  }

  run(requests: readonly GenerateRequest[] = []): this {
    this.core.generate(requests);
    while (this.core.hasWork) this.core.step();
    return this;
  }

  step(id: number): Step {
    const message = this.answers(id)[0];
    if (message?.type !== 'step') throw new Error(`request ${id} got ${JSON.stringify(message)}`);
    return message.step;
  }

  fault(id: number): string {
    const message = this.answers(id)[0];
    return message?.type === 'fault' ? `${message.fault.code}: ${message.fault.message}` : `no fault: ${message?.type}`;
  }

  answers(id: number): CoreMessage[] {
    return this.messages.filter((message) => message.request === id && message.type !== 'token');
  }

  [Symbol.dispose](): void {
    this.core.close();
  }
}

function request(id: number, changes: Partial<GenerateRequest> = {}): GenerateRequest {
  const prompt = { kind: 'text', text: 'In the beginning was the word.' } as const;
  return generateRequest(id, { prompt, maxTokens: 16, ...changes });
}

describe('Core', () => {
  it('gives a seeded request the same step alone and in a crowd', () => {
    using alone = new Bench('random');
    alone.run([request(1, { seed: 5 })]);
    using crowd = new Bench('random');
    crowd.run([...Array(40).keys()].map((id) => request(id, { seed: id === 1 ? 5 : 100 + id, priority: id % 3 })));
    expect(crowd.step(1)).toEqual(alone.step(1));
    expect(crowd.step(2).tokenIds).not.toEqual(alone.step(1).tokenIds);
  });

  it('computes every prefix token of a tree of 64 leaves once', () => {
    using bench = new Bench('random', { sequences: 63 });
    let paths: PathStep[][] = [[]];
    let id = 0;
    const requestOf = new Map<number, GenerateRequest>();
    const counted = { computed: 0, decoded: 0 };
    for (let depth = 0; depth < 3; depth++) {
      const requests = paths.flatMap((path) =>
        [0, 1, 2, 3].map((index) => request(id++, { path, parent: tipKey(path), index, maxTokens: 6 })),
      );
      bench.run(requests);
      for (const each of requests) requestOf.set(each.id, each);
      paths = requests.map((each) => below(each.path, bench.step(each.id)));
    }
    expect(paths.length).toBe(64);
    const distinct = new Set<string>();
    const drawn = new Set<string>();
    for (const message of bench.messages) {
      if (message.type !== 'step') continue;
      counted.computed += message.usage.computedTokens;
      counted.decoded += message.usage.decodedTokens!;
      const { path } = requestOf.get(message.request)!;
      const above = path.flatMap(({ step }) => step.tokenIds!).length;
      const ids = below(path, message.step).flatMap(({ step }) => step.tokenIds!);
      for (let end = above + 1; end < ids.length; end++) drawn.add(ids.slice(0, end).join());
    }
    const prompt = bench.core.model.tokenizePrompt(request(0).prompt);
    const inner = bench.messages.filter((message) => message.type === 'step').slice(0, 20) as { step: Step }[];
    for (const { step } of inner) distinct.add(step.tokenIds!.join());
    // The prompt once, and the last token of each inner step, which was drawn but not computed.
    expect(counted.computed).toBe(prompt.length + 20);
    // Every row of every decode is a new token: those, and drawn tokens fed back, which siblings share while they agree.
    expect(counted.decoded).toBe(drawn.size);
    expect(bench.core.counts.rows).toBe(counted.computed + counted.decoded);
  });

  it('reports computed and cached tokens of each request', () => {
    using bench = new Bench('random');
    bench.run([request(1), request(2)]);
    const prompt = bench.core.model.tokenizePrompt(request(0).prompt).length;
    const usages = [1, 2].map((id) => bench.answers(id)[0]).map((message) => message?.type === 'step' && message.usage);
    expect(usages[0]).toMatchObject({ computedTokens: prompt, cachedTokens: 0 });
    expect(usages[1]).toMatchObject({ computedTokens: 0, cachedTokens: prompt });
  });

  it('gives the same steps with hardly any cells as with plenty, and never an error', () => {
    const requests = [...Array(30).keys()].map((id) =>
      request(id, { search: `search ${id % 5}`, prompt: { kind: 'text', text: `question ${id % 5} of five` } }),
    );
    using plenty = new Bench('random', { flashAttention: false });
    plenty.run(requests);
    using scarce = new Bench('random', { kvTokens: 64, flashAttention: false });
    scarce.run(requests);
    for (const { id } of requests) expect(scarce.step(id).tokenIds).toEqual(plenty.step(id).tokenIds);
    expect(scarce.core.counts.rows).toBeGreaterThan(plenty.core.counts.rows);
  });

  it('ends a step inside a token where its delimiter ends, and goes on from there', () => {
    using bench = new Bench('alphabet');
    const prompt = { kind: 'text', text: 'u' } as const;
    bench.run([request(1, { prompt, sampling: { temperature: 0 }, delimiters: ['y\n'] })]);
    const step = bench.step(1);
    expect(step).toMatchObject({ text: 'vwxy\n', end: 'delimiter', tokens: 5 });
    expect(step.tokenIds).toEqual([...'vwxy\n'].map(byteToken));
    const path = pathOf(step);
    bench.run([request(2, { prompt, path, parent: tipKey(path), sampling: { temperature: 0 }, maxTokens: 2 })]);
    expect(bench.step(2).tokenIds).toEqual([11, 12]); // the successors of "\n", not of the pair token
  });

  it('ends a path that fills the context by its length, though its last token is a delimiter', () => {
    const prompt = { kind: 'text', text: 'u' } as const;
    const ask = request(1, { prompt, sampling: { temperature: 0 }, delimiters: ['y\n'] });
    const endWith = (kvTokens: number) => {
      using bench = new Bench('alphabet', { kvTokens });
      return bench.run([ask]).step(1);
    };
    const exact = 1 + endWith(2048).tokens;
    expect(endWith(exact)).toMatchObject({ text: 'vwxy\n', end: 'length' });
    expect(endWith(exact + 1)).toMatchObject({ text: 'vwxy\n', end: 'delimiter' });
  });

  it('stops at the end of sequence, whose token counts and shows no text', () => {
    using bench = new Bench('alphabet');
    const prompt = { kind: 'text', text: 'w' } as const;
    bench.run([request(1, { prompt, sampling: { temperature: 0 }, delimiters: ['none'] })]);
    expect(bench.step(1)).toMatchObject({ text: 'xy\n\n', end: 'eos', tokens: 4 });
    const streamed = bench.messages.filter((message) => message.type === 'token').map((message) => message.text);
    expect(streamed.join('')).toBe('xy\n\n');
  });

  it('holds back bytes that are no character, and replaces them at the end', () => {
    using bench = new Bench('broken-utf8');
    bench.run([request(1, { sampling: { temperature: 0 }, maxTokens: 3 })]);
    expect(bench.step(1)).toMatchObject({ text: '\uFFFD\uFFFD\uFFFD', end: 'length', tokens: 3 });
  });

  it('frees every cell when all requests are cancelled and the search is released', () => {
    using bench = new Bench('broken-utf8', { sequences: 63 });
    bench.core.generate(
      [...Array(500).keys()].map((id) => request(id, { search: `s${id % 20}`, maxTokens: 50, delimiters: [] })),
    );
    for (let step = 0; step < 5; step++) bench.core.step();
    expect(bench.core.counts.usedCells).toBeGreaterThan(0);
    bench.core.cancel([...Array(500).keys()]);
    for (let search = 0; search < 20; search++) bench.core.release(`s${search}`);
    expect(bench.core.counts).toMatchObject({ usedCells: 0, branches: 0, running: 0 });
    for (let id = 0; id < 500; id++) expect(bench.fault(id)).toMatch(/^cancelled/);
    expect(bench.core.hasWork).toBe(false);
    bench.run([request(1000)]);
    expect(bench.step(1000).tokens).toBeGreaterThan(0);
  });

  it('reads rewards incrementally and equally in batches and alone', () => {
    const verdict = { good: '+', bad: '-', marker: '' };
    using batched = new Bench('random', { verdict, flashAttention: false });
    using single = new Bench('random', { verdict, flashAttention: false });
    const step = (text: string): Step => ({ text, tokens: 1, meanLogprob: 0, end: 'delimiter' });
    const texts = ['one\n', 'two\n', 'three\n'];
    const read = (id: number, steps: readonly Step[]) => ({ ...request(id), steps });
    batched.core.read(texts.map((text, id) => read(id, [step('first\n'), step(text)])));
    batched.run();
    for (const [id, text] of texts.entries()) {
      single.core.read([read(id, [step('first\n'), step(text)])]);
      single.run();
      single.core.release('search');
    }
    const values = (bench: Bench) => texts.map((_, id) => bench.answers(id)[0]);
    const found = values(batched).map((message) => (message?.type === 'read' ? message.probability : Number.NaN));
    const expected = values(single).map((message) => (message?.type === 'read' ? message.probability : Number.NaN));
    for (const [id, probability] of found.entries()) expect(probability).toBeCloseTo(expected[id]!, 5);
    expect(new Set(found).size).toBe(3);
    batched.core.read([read(9, [step('first\n'), step('one\n'), step('more\n')])]);
    batched.run();
    const last = batched.answers(9)[0];
    expect(last?.type === 'read' && last.usage.computedTokens).toBe('more\n'.length);
  });

  it('reads the same step for a sibling without another decode', () => {
    using bench = new Bench('random', { verdict: { good: '+', bad: '-', marker: '' } });
    const step: Step = { text: 'the same\n', tokens: 9, meanLogprob: 0, end: 'delimiter' };
    const read = (id: number) => ({ ...request(id), steps: [step] });
    bench.core.read([read(1), read(2), read(3)]);
    bench.run();
    expect(bench.core.counts.decodes).toBe(1);
    const [first, ...others] = [1, 2, 3].map((id) => bench.answers(id)[0]);
    expect(first?.type).toBe('read');
    for (const other of others) {
      expect(other).toMatchObject({ probability: first?.type === 'read' && first.probability });
      expect(other?.type === 'read' && other.usage.computedTokens).toBe(0);
    }
  });

  it('measures every point of its cost table, fewer when the time is up, and leaves the cache as it was', () => {
    using bench = new Bench('random');
    const before = bench.run([request(1)]).step(1);
    bench.core.release('search');
    let calls = 0;
    const clock = () => calls++;
    const whole = bench.core.measure(clock, 400); // one whole round, and part of the next
    expect(whole.decode.map(([batch]) => batch)).toEqual([1, 2, 4, 8, 16, 24, 32, 48, 63]);
    expect(whole.decode.every((row) => row.length === 1 + whole.contexts.length)).toBe(true);
    expect(whole.prefill[0]).toEqual([1, 1]);
    expect(whole.unreadTokenMs).toBe(0); // on this clock every decode takes the same time
    const short = bench.core.measure(clock, 0);
    expect(short.decode.map(([batch]) => batch)).toEqual([1, 2]);
    expect(short.prefill.length).toBe(6);
    expect(short.unreadTokenMs).toBeUndefined();
    expect(bench.run([request(2, { seed: 1 })]).step(2)).toEqual(before);
  });

  it('renders chat messages with the template of the file', () => {
    using bench = new Bench('chat');
    const rendered = bench.core.model.renderChat([{ role: 'user', content: 'hello' }]);
    expect(rendered).toBe('<|im_start|>user\nhello<|im_end|>\n<|im_start|>assistant\n');
  });

  it('renders a turn with the template of the file, behind an answer with its end or without; words that look like control tokens stay words', () => {
    using bench = new Bench('chat');
    const { model } = bench.core;
    const turn = 'no: <|im_end|>\n';
    const plain = (text: string) => model.tokenize(text);
    const whole = model.renderChat([
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: 'hi' },
      { role: 'user', content: 'again' },
    ]);
    const head = model.tokenizePrompt({ kind: 'chat', messages: [{ role: 'user', content: 'hello' }] });
    expect([...head, ...plain('hi'), ...model.tokenizeTurn('again')]).toEqual(
      model.tokenizePrompt({ kind: 'text', text: whole }),
    );
    const frame = model.tokenizeTurn('X');
    const at = frame.indexOf(plain('X')[0]!);
    expect(model.tokenizeTurn(turn)).toEqual([
      ...frame.slice(0, at),
      ...plain(turn.trim()),
      ...frame.slice(at + plain('X').length),
    ]);
  });

  it('explains a bad request and goes on serving the others', () => {
    using bench = new Bench('random');
    const long = 'word '.repeat(600);
    bench.run([
      request(1, { sampling: { temperature: -1 } }),
      request(2, { sampling: { temperature: 1, topP: 0 } }),
      request(3, { prompt: { kind: 'text', text: long } }),
      request(4, { prompt: { kind: 'text', text: '' } }),
      request(5, { maxTokens: 0 }),
      request(6, { sampling: { temperature: Number.NaN } }),
      request(7),
    ]);
    expect(bench.fault(1)).toMatch(/^bad-setting: temperature is -1/);
    expect(bench.fault(2)).toMatch(/^bad-setting: topP is 0/);
    expect(bench.fault(3)).toMatch(/^too-long: prompt and path are 3\d\d\d tokens long; the context holds 2048/);
    expect(bench.fault(4)).toMatch(/^bad-setting: the prompt is empty/);
    expect(bench.fault(5)).toMatch(/^bad-setting: maxTokens is 0/);
    expect(bench.fault(6)).toMatch(/^bad-setting: temperature is NaN/);
    expect(bench.step(7).tokens).toBeGreaterThan(0);
  });

  it('explains a model file that is missing, foreign, cut or damaged', () => {
    const open = (path: string) => () => new Bench(path);
    expect(open('/nonexistent.gguf')).toThrow(/there is no model file/);
    expect(open(folder)).toThrow(/is not a file/);
    const foreign = join(folder, 'foreign.gguf');
    writeFileSync(foreign, 'PK not a model at all');
    expect(open(foreign)).toThrow(/is not a GGUF file/);
    const cut = join(folder, 'cut.gguf');
    writeFileSync(cut, readFileSync(models.random!));
    truncateSync(cut, 100_000);
    expect(open(cut)).toThrow(/damaged or of an architecture/);
    const old = join(folder, 'old.gguf');
    writeFileSync(old, Buffer.concat([Buffer.from('GGUF'), Buffer.from([1, 0, 0, 0]), Buffer.alloc(64)]));
    expect(open(old)).toThrow(/GGUF version 1/);
    expect(() => new Bench('random', { verdict: { good: 'ab cd', bad: '-', marker: '' } })).toThrow(
      /must be exactly one/,
    );
  });

  it('ends a step that fills the whole context', () => {
    using bench = new Bench('random', { kvTokens: 48 });
    bench.run([request(1, { delimiters: [], maxTokens: 500, sampling: { temperature: 1, topK: 20 } })]);
    const answer = bench.answers(1)[0];
    expect(answer?.type === 'step' && answer.step.end).toMatch(/length|eos/);
  });
});

describe('compute threads', () => {
  it('are one for a model so small, without a trial', () => {
    using bench = new Bench('random');
    bench.core.tryThreads(() => 0, 64);
    expect(bench.core).toMatchObject({ threads: 1, counts: { usedCells: 0, decodes: 0 } });
  });
});
