// Who gets which request, how many at a time, and what a model may read of another's steps.

import { expect, test } from 'vitest';
import { generateRequest } from '../../../../../tests/support/requests.ts';
import { ScriptedEngine } from '../../../../../tests/support/scripted-engine.ts';
import type { EngineMessage, GenerateRequest } from '../engine.ts';
import { panelEngine } from './panel-engine.ts';

function scene(budget = 8) {
  const own = new ScriptedEngine({ held: true });
  const big = new ScriptedEngine({ held: true });
  const engine = panelEngine('small', own, new Map([['big', { engine: big, budget }]]));
  const posted: EngineMessage[] = [];
  engine.connect((message) => posted.push(message));
  const ids = (each: ScriptedEngine) => each.asked.map(({ id }) => id);
  return { own, big, engine, posted, ids };
}

test('a draw that names no model, or its own, is written by the own one', () => {
  const { own, big, engine, ids } = scene();
  engine.generate([generateRequest(1), generateRequest(2, { model: 'big' }), generateRequest(3, { model: 'small' })]);
  expect([ids(own), ids(big)]).toEqual([[1, 3], [2]]);
  expect(panelEngine('small', own, new Map())).toBe(own);
});

test('token ids are read by the model that made them alone', () => {
  const { own, big, engine } = scene();
  const step = { text: 'a', tokens: 1, meanLogprob: 0, end: 'delimiter', tokenIds: [7] } as const;
  const path = [
    { key: 1, step },
    { key: 2, step: { ...step, model: 'big' } },
  ];
  engine.generate([generateRequest(1, { path }), generateRequest(2, { path, model: 'big' })]);
  const read = (each: ScriptedEngine) => each.asked[0]!.path.map(({ key, step }) => [key, step.tokenIds]);
  expect(read(own)).toEqual([
    [1, [7]],
    [2, undefined],
  ]);
  expect(read(big)).toEqual([
    [1, undefined],
    [2, [7]],
  ]);
});

test('a member has its budget of requests at a time; the most urgent of the others is next', () => {
  const { big, engine, posted, ids } = scene(1);
  const request = (id: number, priority: number) => generateRequest(id, { model: 'big', priority });
  engine.generate([request(1, 0), request(2, 0), request(3, 5)]);
  expect(ids(big)).toEqual([3]);
  expect(posted).toEqual([
    { type: 'taken', request: 3 },
    { type: 'held', request: 1 },
    { type: 'held', request: 2 },
  ]);
  engine.update?.(2, { lane: 'primary', priority: 9 });
  engine.cancel([3]);
  expect(ids(big)).toEqual([3, 2]);
  expect(posted.slice(3)).toMatchObject([
    { type: 'fault', request: 3, fault: { code: 'cancelled' } },
    { type: 'taken', request: 2 },
  ]);
  engine.cancel([1]);
  expect(posted.at(-1)).toMatchObject({ type: 'fault', request: 1, fault: { code: 'cancelled' } });
  expect(ids(big)).toEqual([3, 2]);
});

test('a model that is not in the panel is one line, and a fault of a member says whose it is', async () => {
  const big = new ScriptedEngine({ script: () => 'fault' });
  const engine = panelEngine('small', new ScriptedEngine(), new Map([['big', { engine: big, budget: 1 }]]));
  const told = new Promise<EngineMessage[]>((resolve) => {
    const posted: EngineMessage[] = [];
    engine.connect((message) => {
      if (message.type === 'fault') posted.push(message);
      if (posted.length === 2) resolve(posted);
    });
  });
  engine.generate([generateRequest(1, { model: 'huge' }), generateRequest(2, { model: 'big' })]);
  expect(await told).toMatchObject([
    { request: 1, fault: { message: "a draw names the model 'huge'; model 'small' can ask small, big (panel)" } },
    { request: 2, fault: { message: "model 'big': scripted" } },
  ]);
});

/** Its servers are out: it keeps what it gets until it is cancelled. */
class ParkedEngine extends ScriptedEngine {
  trouble: string | undefined = 'no server is up';
  #tell: (message: EngineMessage) => void = () => {};

  override connect(post: (message: EngineMessage) => void): void {
    this.#tell = post;
    super.connect(post);
  }

  override generate(requests: readonly GenerateRequest[]): void {
    super.generate(requests);
    for (const { id } of requests) this.#tell({ type: 'held', request: id });
  }

  override load() {
    return { ...super.load(), ...(this.trouble === undefined ? {} : { trouble: this.trouble }) };
  }
}

test('what waits for a model that is out is given back while another can answer, and waits where none can', async () => {
  const [own, big] = [new ParkedEngine({ held: true }), new ParkedEngine({ held: true })];
  const engine = panelEngine('small', own, new Map([['big', { engine: big, budget: 8 }]]));
  const faults: EngineMessage[] = [];
  engine.connect((message) => {
    if (message.type === 'fault') faults.push(message);
  });
  engine.generate([generateRequest(1, { model: 'big' }), generateRequest(2, { model: 'small' }), generateRequest(3)]);
  await Promise.resolve();
  expect(faults).toEqual([]);
  expect(engine.load().trouble).toBe('no server is up; big: no server is up');
  own.trouble = undefined;
  engine.generate([generateRequest(4, { model: 'small' })]);
  await Promise.resolve();
  expect(faults).toMatchObject([
    { request: 1, fault: { code: 'unavailable', message: "model 'big': no server is up", retryable: true } },
  ]);
  // A draw that names no model can be written by no other.
  Object.assign(own, { trouble: 'gone' });
  big.trouble = undefined;
  engine.generate([generateRequest(5, { model: 'small' })]);
  await Promise.resolve();
  expect(faults.slice(1)).toMatchObject([{ request: 2 }, { request: 4 }, { request: 5 }]);
});
