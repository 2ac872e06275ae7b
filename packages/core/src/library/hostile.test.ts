// Strangers' parts in the library: whatever throws, `search()` settles with a reason, and what runs beside it is not touched.

import { expect, test } from 'vitest';
import { type Sabotage, sabotaged } from '../../../../tests/support/hostile.ts';
import { ScriptedEngine, ScriptedVerifier } from '../../../../tests/support/scripted-engine.ts';
import { bestOfN } from '../program/best-of-n.ts';
import { defineProgram, type ProgramDefinition } from '../program/definition.ts';
import { makeModel } from './open-search-model.ts';
import { type SearchOptions, search } from './search.ts';

const parts = () => ({ engine: new ScriptedEngine(), verifier: new ScriptedVerifier(), budget: 8, threshold: 0.7 });
const always = (verb: string, how: Sabotage['how'] = 'error'): Sabotage => ({ verb, from: 2, how });

function hostileProgram(sabotage: Sabotage): ProgramDefinition {
  return defineProgram({
    ...bestOfN,
    name: 'mine',
    create: (size, options) => sabotaged(bestOfN.create(size, options), sabotage),
  });
}

const hostile: Readonly<Record<string, SearchOptions>> = {
  ...Object.fromEntries(['ask', 'tell'].map((verb) => [`program ${verb}`, { program: hostileProgram(always(verb)) }])),
  'program answer': { policy: 'vanilla', program: hostileProgram({ ...always('answer'), from: 1 }) },
  'program fault': { program: hostileProgram(always('ask', 'fault')) },
  'exit rule': { exits: [sabotaged({ name: 'own', check: () => undefined }, always('check'))] },
  'prune rule': { prunes: [sabotaged({ name: 'own', judge: () => () => undefined }, always('judge/'))] },
  listener: { onEvent: sabotaged({ onEvent: () => {} }, always('onEvent')).onEvent },
  'listener that is asynchronous': {
    onEvent: sabotaged({ onEvent: () => {} }, always('onEvent', 'rejection')).onEvent,
  },
};

test.each(Object.keys(hostile))('%s: its search fails with the reason, the one beside it does not', async (name) => {
  const model = makeModel(parts());
  const [failed, beside] = await Promise.all([
    search('a', { model, rollouts: 4, ...hostile[name] }),
    search('b', { model, rollouts: 4 }),
  ]);
  expect(failed.exit).toMatchObject({
    kind: 'failed',
    rule: 'threw',
    evidence: { message: expect.stringContaining('sabotage') },
  });
  expect(failed.fault?.message).toContain(`threw in ${failed.exit.evidence.verb}`);
  expect([beside.complete, beside.exit.kind, beside.fault]).toEqual([
    true,
    expect.not.stringMatching('failed'),
    undefined,
  ]);
  await model.close();
});

test.each(['engine', 'verifier', 'extract'] as const)('%s of a model: every search settles as failed', async (part) => {
  const own = parts();
  const model = makeModel({
    ...own,
    ...(part === 'engine' && { engine: sabotaged(own.engine, always('generate')) }),
    ...(part === 'verifier' && { verifier: sabotaged(own.verifier, always('score')) }),
    ...(part === 'extract' && {
      extract: sabotaged({ extract: () => 'x' }, { ...always('extract'), from: 1 }).extract,
    }),
  });
  for (const { exit, fault } of await Promise.all([search('a', { model }), search('b', { model })])) {
    expect([exit.kind, fault?.message]).toEqual(['failed', expect.stringMatching(/threw in .*: sabotage/)]);
  }
  await model.close();
});
