// The budget of a model whose replicas come and go, over random comings and goings of replicas, nodes and work.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkConfig, type PlainTree } from '../../packages/core/src/config/load.ts';
import type { Runtime } from '../../packages/core/src/runtime/runtime.ts';
import { ServedModel } from '../../packages/gateway/src/models/served-model.ts';
import { ScriptedEngine } from '../support/scripted-engine.ts';

/** On as many replicas as it is told. */
class CountedEngine extends ScriptedEngine {
  up = 1;
  #changed = () => {};

  watchReplicas(changed: () => void): void {
    this.#changed = changed;
  }

  /** Those that are out are its servers too. */
  servers(): string[] {
    return ['http://a', 'http://b', 'http://c', 'http://d', 'http://e'];
  }

  override load() {
    return { ...super.load(), replicas: { up: this.up, out: 0, leaving: 0 } };
  }

  count(up: number): void {
    this.up = up;
    this.#changed();
  }
}

const listed = { kind: 'openai', replicas: 'file:replicas.txt' };
const hooks = {
  onEntry() {},
  onToken() {},
  watches: () => false,
  onFault() {},
  onPrompt() {},
  ownerOf: () => undefined,
};

/** A model that is stepped by hand; work is guests, who hold one strand each. */
class Model {
  readonly engine = new CountedEngine();
  readonly admitted = new Set<string>();
  readonly waiting = new Set<string>();
  readonly served: ServedModel;
  #entered = 0;

  constructor(settings: PlainTree) {
    const [config] = checkConfig({ models: [{ name: 'm', engine: listed, ...settings }] }).models;
    const loop = { wake: () => {}, drive: () => {}, stop: () => {} };
    this.served = new ServedModel({ config: config!, engine: this.engine }, hooks, () => {}, { nowMs: () => 0 }, loop);
  }

  get #runtime(): Runtime {
    return this.served.runtime;
  }

  get budget(): number {
    return this.#runtime.queue.budget;
  }

  enter(): void {
    this.#entered += 1;
    const id = `guest-${this.#entered}`;
    const turn = this.#runtime.queue.take(id, { seats: 1, priority: 0, arrivalMs: 0 });
    this.waiting.add(id);
    const onAdmitted = () => {
      this.waiting.delete(id);
      this.admitted.add(id);
    };
    this.#runtime.queue.enter({ id, turn, arrivalMs: 0, onAdmitted });
  }

  leave(): void {
    const [first] = this.admitted;
    if (first === undefined) return;
    this.admitted.delete(first);
    this.#runtime.queue.dismiss(first);
  }

  step(): void {
    this.#runtime.step();
  }
}

const acts = fc.array(
  fc.oneof(
    fc.record({ up: fc.nat(5) }),
    fc.record({ nodes: fc.integer({ min: 1, max: 4 }) }),
    fc.constant('enter' as const),
    fc.constant('enter' as const),
    fc.constant('leave' as const),
  ),
  { maxLength: 40 },
);

test('is of each replica that may get work, 128 strands where it is not set', () => {
  const [usual, set] = [new Model({}), new Model({ budget: 6 })];
  expect([usual.budget, set.budget]).toEqual([128, 6]);
  for (const { engine } of [usual, set]) engine.count(3);
  expect([usual.budget, set.budget]).toEqual([384, 18]);
  for (const { engine } of [usual, set]) engine.count(0);
  expect([usual.budget, set.budget]).toEqual([128, 6]);
});

test('takes nothing from work that runs, and lets in all that fits', () => {
  fc.assert(
    fc.property(acts, (all) => {
      const model = new Model({ budget: 2 });
      let nodes = 1;
      for (const act of all) {
        const before = [...model.admitted];
        if (act === 'enter') model.enter();
        else if (act === 'leave') model.leave();
        else if ('up' in act) model.engine.count(act.up);
        else {
          nodes = act.nodes;
          model.served.divide(() => nodes);
        }
        model.step();
        const part = Math.max(1, Math.floor((2 * Math.max(1, model.engine.up)) / nodes));
        const { admitted, waiting, budget } = model;
        if (act !== 'leave') expect(before.filter((id) => !admitted.has(id))).toEqual([]);
        expect(budget).toBe(Math.max(part, admitted.size));
        expect(waiting.size === 0 || admitted.size >= part).toBe(true);
      }
    }),
  );
});
