// What one search teaches the next, on its way through the runtime and the logs.

import { expect, it } from 'vitest';
import { redrive } from '../../../../../tests/support/redrive.ts';
import { ToyEngine, ToyVerifier, ToyWorld } from '../../../../../tests/support/toy.ts';
import { essence, run } from '../../../../../tests/support/toy-run.ts';
import { lessonOf } from '../../../../papers/src/refine/lessons.ts';
import { createRefine } from '../../../../papers/src/refine/refine.ts';
import { describeEvent } from '../../log/describe.ts';
import { isTreeEvent, type LoggedEvent, type SearchEvent } from '../../log/events.ts';
import { SearchFold } from '../../log/fold.ts';
import { createPolicy, createScheduler } from '../../policy/create.ts';
import { createSelfConsistency } from '../../program/best-of-n.ts';
import type { Program } from '../../program/program.ts';
import type { Learned, TreeEvent } from '../../tree/events.ts';
import { Runtime } from '../runtime.ts';
import type { SearchRequest } from '../search/request.ts';

const { rules } = createPolicy('positive');

function request(id: string, program: Program = createRefine({ rollouts: 6 })): SearchRequest {
  return {
    id,
    prompt: { kind: 'text', text: id },
    program,
    rules,
    limits: { threshold: 1, rollouts: 6 },
    aggregation: 'last',
    seed: 7,
    priority: 0,
    delimiters: ['\n'],
    stepTokens: 64,
    extract: (text) => text,
  };
}

/** One strand at a time: searches that are submitted together run one after the other. */
function runtimeOf() {
  const toys = new ToyWorld();
  const logs = new Map<string, SearchEvent[]>();
  const onEvent = ({ search, event }: LoggedEvent) => {
    logs.set(search, [...(logs.get(search) ?? []), event]);
  };
  const faults: string[] = [];
  const runtime = new Runtime({
    engine: new ToyEngine(toys),
    verifier: new ToyVerifier(toys),
    scheduler: createScheduler('vanilla', {}),
    budget: 1,
    clock: toys.clock,
    onEvent,
    onFault: (_, { message }) => faults.push(message),
  });
  const learned = (id: string) => logs.get(id)!.find((event) => event.type === 'planted')!.learned;
  return { toys, runtime, logs, learned, faults };
}

it('a search begins with what those before it have shown, though it was submitted before they ended', () => {
  const { toys, runtime, logs, learned } = runtimeOf();
  const folds = ['a', 'b', 'c'].map((id) => {
    const fold = new SearchFold();
    runtime.submit(request(id), fold);
    expect(fold.tree).toBeUndefined();
    return fold;
  });
  toys.run(runtime);
  const byFirst = lessonOf(folds[0]!.tree!, undefined);
  expect(learned('a')).toBeUndefined();
  expect(learned('b')).toEqual(byFirst);
  expect(learned('c')).toEqual(lessonOf(folds[1]!.tree!, byFirst));
  expect(folds[2]!.tree!.learned).toEqual(learned('c'));
  const [, planted] = logs.get('b')!;
  expect(describeEvent(planted!)).toBe(
    'the tree was planted, score is the last of rewards; earlier searches taught it: fresh 0.79 of 5, freshShare 1.00 of 5',
  );
});

it('programs learn from their own kind alone, and a search that is cancelled in the queue has a whole log', () => {
  const { toys, runtime, logs, learned } = runtimeOf();
  runtime.submit(request('taught'));
  runtime.submit(request('untaught', createSelfConsistency({ samples: 2 })));
  runtime.submit(request('gone'));
  runtime.step();
  runtime.cancel('gone');
  toys.run(runtime);
  expect(learned('untaught')).toBeUndefined();
  expect(logs.get('gone')!.map(({ type }) => type)).toEqual(['submitted', 'planted', 'exited', 'cost']);
});

it('a program that learns what is no number fails its own search, and teaches nothing', () => {
  const { toys, runtime, learned, faults } = runtimeOf();
  const own = createRefine({ rollouts: 6 });
  own.learn = () => ({ fresh: { count: Number.NaN, sum: 0, squares: 0 } });
  runtime.submit(request('broken', own));
  runtime.submit(request('next'));
  toys.run(runtime);
  expect(faults).toEqual([expect.stringContaining('it learned fresh as NaN, 0, 0')]);
  expect(learned('next')).toBeUndefined();
});

/** Scores of the toy world are high: the one makes wide trees, the other deep ones. */
const taught: Readonly<Record<string, Learned>> = {
  wide: { fresh: { count: 64, sum: 60, squares: 58 }, repairs: { count: 64, sum: 3, squares: 2 } },
  deep: { fresh: { count: 64, sum: 3, squares: 2 }, repairs: { count: 64, sum: 60, squares: 58 } },
};

it.each(Object.keys(taught))('a search that was taught to grow %s goes on from its log as it would have', (name) => {
  const create = () => createRefine({ rollouts: 8 });
  const width = { primary: 1, speculative: 1 };
  const planted: TreeEvent = { type: 'planted', aggregation: 'last', learned: taught[name] };
  for (let seed = 0; seed < 6; seed += 1) {
    const setting = { create, seed, width, weather: seed, threshold: 1 };
    const whole = run({ ...setting, from: [planted] });
    const events = [planted, ...whole.events.filter(isTreeEvent)];
    expect(redrive(create(), [planted, { type: 'width', ...width }, ...whole.events])).toBeUndefined();
    for (let cut = 1; cut < events.length; cut += 5) {
      // As a journal gives it back, to a process that has learned nothing.
      const from = JSON.parse(JSON.stringify(events.slice(0, cut)));
      expect(essence(run({ ...setting, from }))).toEqual(essence(whole));
    }
    const untaught = essence(run({ ...setting, from: [{ type: 'planted', aggregation: 'last' }] }));
    const fresh = whole.tree.root.children.reduce((all, { count }) => all + count, 0);
    if (name === 'wide') expect(fresh).toBeGreaterThan(5);
    else expect(fresh).toBeLessThan(4);
    expect(untaught).not.toEqual(essence(whole));
  }
});
