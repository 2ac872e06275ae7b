import { expect, test } from 'vitest';
import { type Script, ScriptedEngine, ScriptedVerifier } from '../../../../tests/support/scripted-engine.ts';
import { until } from '../../../../tests/support/until.ts';
import { defineExit } from '../exit/exit.ts';
import { definePolicy } from '../policy/define-policy.ts';
import { bestOfN } from '../program/best-of-n.ts';
import { makeModel } from './open-search-model.ts';
import { search } from './search.ts';

function model(engine = new ScriptedEngine()) {
  return makeModel({ engine, verifier: new ScriptedVerifier(), budget: 8, threshold: 0.7 });
}

test('searches share one model, and the steps of the path are the answer', async () => {
  const own = model();
  const both = await Promise.all([search('a', { model: own }), search('b', { model: own, program: 'beam' })]);
  expect(both.map(({ program }) => program)).toEqual(['mcts', 'beam']);
  for (const { steps, answer, complete } of both) {
    expect(steps).toHaveLength(3);
    expect([complete, steps.at(-1)]).toEqual([true, `The answer is ${answer}.`]);
  }
  await own.close();
});

test('says what to think of the answer, as HTTP does', async () => {
  const own = model();
  const judge = async (options: object) => {
    const { verdict, confidence } = await search('a', { model: own, rollouts: 4, ...options });
    return [verdict, confidence];
  };
  const number = expect.any(Number);
  expect(await judge({})).toEqual(['accepted', number]);
  expect(await judge({ program: bestOfN, threshold: 1 })).toEqual(['likely', number]);
  expect(await judge({ program: 'self-consistency' })).toEqual(['unsure', number]);
  expect(await judge({ maxDepth: 1 })).toEqual(['none', undefined]);
  await own.close();
});

test('an effort says how many rollouts there may be', async () => {
  const own = model();
  const options = { model: own, program: 'self-consistency' } as const;
  const { rollouts } = await search('a', { ...options, effort: 'minimal' });
  expect([rollouts, (await search('a', options)).rollouts]).toEqual([2, 16]);
  const wrong = { effort: 'huge' } as unknown as { effort: 'low' };
  await expect(search('a', { ...options, ...wrong })).rejects.toThrow(/effort is 'huge'; one of minimal, low/);
  await own.close();
});

test('a definition has the rules that it asks for: one that keeps its rollouts is ended by none of them', async () => {
  const own = model();
  const options = { model: own, rollouts: 4, threshold: 0.1, programOptions: { window: 1 } };
  const ends = async (more: object) => {
    const { exit, rollouts } = await search('a', { ...options, program: { ...bestOfN, name: 'own', ...more } });
    return [exit.kind, rollouts];
  };
  expect(await ends({})).toEqual(['accepted', 1]);
  expect(await ends({ keepsRollouts: true })).toEqual(['exhausted', 4]);
  await own.close();
});

test('a definition runs as the program of the same name does', async () => {
  const own = model();
  const options = { model: own, rollouts: 4, seed: 3, policy: 'positive' } as const;
  const [named, defined] = [
    await search('a', { ...options, program: 'best-of-n' }),
    await search('a', { ...options, program: bestOfN }),
  ];
  expect(defined.tree.nodes.map(({ key }) => key)).toEqual(named.tree.nodes.map(({ key }) => key));
  expect([defined.answer, defined.policy]).toEqual([named.answer, named.policy]);
  await own.close();
});

test('tests that come with a search reach the verifier', async () => {
  const seen: (string | undefined)[] = [];
  const verifier = new ScriptedVerifier();
  const score = verifier.score.bind(verifier);
  verifier.score = (requests) => {
    seen.push(...requests.map(({ tests }) => tests));
    score(requests);
  };
  const own = makeModel({ engine: new ScriptedEngine(), verifier, budget: 8 });
  await search('a', { model: own, tests: 'assert add(1, 2) == 3' });
  expect(new Set(seen)).toEqual(new Set(['assert add(1, 2) == 3']));
  await own.close();
});

test('an option that does not exist is refused, in searches and in models', async () => {
  const own = model();
  const misspelt: object = { rolouts: 4 };
  await expect(search('a', { model: own, ...misspelt })).rejects.toThrow("search has no option 'rolouts'");
  await expect(search('a', { model: own, ...({ onUnaccepted: 'refuse' } as object) })).rejects.toThrow('onUnaccepted');
  await expect(search('a', { model: own, ...({ lookahead: 2 } as object) })).rejects.toThrow(/lookahead/);
  await own.close();
  const parts = { engine: new ScriptedEngine(), ...misspelt };
  expect(() => makeModel(parts)).toThrow(/rolouts/);
});

test('a refusal names the setting as the caller wrote it', async () => {
  const own = model();
  await expect(search('a', { model: own, tokenBudget: 0 })).rejects.toThrow('bad-setting: tokenBudget is 0;');
  await expect(search('a', { model: own, program: bestOfN, programOptions: { beams: 1 } })).rejects.toThrow(
    "programOptions.beams is no option of program 'best-of-n'",
  );
  await expect(search('a', { model: own, program: 'mcts', programOptions: { branchng: 2 } })).rejects.toThrow(
    'programOptions.branchng needs a program of your own',
  );
  await expect(search('a', { model: own, program: bestOfN, policy: 'boost' })).rejects.toThrow(
    /cannot go with program/,
  );
  await own.close();
});

test('an abort and a closing model end a search with the best so far; a fault is a value', async () => {
  const engine = new ScriptedEngine({ held: true });
  const own = model(engine);
  const abort = new AbortController();
  const first = search('a', { model: own, signal: abort.signal });
  const second = search('b', { model: own });
  await until(() => engine.open > 0);
  abort.abort();
  expect((await first).exit.kind).toBe('cancelled');
  await own.close();
  expect((await second).exit.kind).toBe('cancelled');
  const broken = model(new ScriptedEngine({ script: () => 'fault' }));
  const failed = await search('a', { model: broken });
  expect([failed.exit.kind, typeof failed.fault?.code, failed.steps]).toEqual(['failed', 'string', []]);
  await broken.close();
});

test('answers in its own words vote by what they mean, where the caller embeds them', async () => {
  const sayings = [
    'The disk was full.',
    'A lock was held there.',
    'There was space for nothing.',
    'Full was the disk.',
  ];
  const script = ({ seed }: { readonly seed: number }) => ({ text: sayings[seed % 4]!, end: 'eos' as const });
  const meanings = sayings.map((_, at) => (at === 1 ? [0, 1] : [1, 0.1 * at]));
  const asked: string[] = [];
  const embed = async (texts: readonly string[]) => {
    asked.push(...texts);
    return texts.map((text) => meanings[sayings.indexOf(text)]!);
  };
  const options = { program: 'self-consistency', rollouts: 24, seed: 1 } as const;
  const own = makeModel({ engine: new ScriptedEngine({ script }), embed, budget: 24 });
  const { tree, steps, cost } = await search('why?', { model: own, ...options });
  expect(new Set(tree.nodes.flatMap(({ group }) => group ?? [])).size).toBe(2);
  expect(steps).not.toEqual([sayings[1]]);
  expect([...asked].sort()).toEqual([...sayings].sort());
  expect(cost.embedderTexts).toBe(4);
  // Three ways to say one thing are certain together; by their words none of them would be.
  const agree = defineExit({
    name: 'agree',
    summary: 'stops when answers agree',
    make: () => ({
      name: 'agree',
      check({ belief }) {
        const { answers, agreement } = belief.certainty();
        return answers < 12 || agreement < 0.6 ? undefined : { kind: 'certain', rule: 'agree', evidence: {} };
      },
    }),
  });
  const certain = { policy: definePolicy({ name: 'sure', summary: 'stops when answers agree', exits: [agree] }) };
  expect((await search('why?', { model: own, ...options, ...certain })).exit.kind).toBe('certain');
  await own.close();
  const plain = makeModel({ engine: new ScriptedEngine({ script }), budget: 24 });
  expect((await search('why?', { model: plain, ...options, ...certain })).exit.kind).toBe('exhausted');
  await plain.close();
});

test('a model whose policy is turned by parts of its own opens, and searches by them', async () => {
  for (const exits of [{}, { positiveExit: 'on' }] as const) {
    const own = makeModel({
      engine: new ScriptedEngine(),
      verifier: new ScriptedVerifier(),
      policy: definePolicy({ name: 'own', summary: 'gives up', settings: { ...exits, negativeExit: 'strict' } }),
      threshold: 0.99,
    });
    expect((await search('a', { model: own })).exit).toMatchObject({ kind: 'futile' });
    await own.close();
  }
});

test('a panel that disagrees is decided by its vote, or by the synthesizer that is named', async () => {
  const says =
    (answer: number): Script =>
    (request) => ({
      text: `The answer is ${request.path.length === 0 ? answer : 3}.`,
      end: 'eos',
    });
  const second = makeModel({ engine: new ScriptedEngine({ script: says(2) }), name: 'second' });
  for (const [settings, answer] of [
    [{}, '1'],
    [{ synthesizer: 'second' }, '3'],
  ] as const) {
    const engine = new ScriptedEngine({ script: says(1) });
    const first = makeModel({ engine, name: 'first', panel: [second], ...settings });
    expect((await search('a', { model: first, program: 'panel', rollouts: 7 })).answer).toBe(answer);
    await first.close();
  }
  const engine = new ScriptedEngine();
  expect(() => makeModel({ engine, panel: [second], synthesizer: 'third' })).toThrow(/synthesizer is 'third'/);
  await second.close();
});

test('models in a panel answer in one search, each by its own engine, while they are used by themselves', async () => {
  const script: Script = ({ seed }) => ({ text: `The answer is ${seed % 2}.`, end: 'eos' });
  const [mine, other] = [new ScriptedEngine({ script }), new ScriptedEngine({ script })];
  const price = { prompt: 0, generated: 1000 };
  const second = makeModel({ engine: other, name: 'second', budget: 2, price });
  const first = makeModel({ engine: mine, name: 'first', panel: [second], price });
  const asked = { program: 'panel', rollouts: 7 } as const;
  const [both, alone] = await Promise.all([
    search('a', { ...asked, model: first, moneyBudget: 1 }),
    search('b', { ...asked, model: second }),
  ]);
  const writers = both.tree.nodes.flatMap(({ step }) => step?.model ?? []);
  expect(new Set(writers)).toEqual(new Set(['first', 'second']));
  expect(Object.keys(both.cost.models ?? {}).sort()).toEqual(['first', 'second']);
  expect(both.cost.money).toBeGreaterThan(0);
  expect(alone.tree.nodes.every(({ step }) => step?.model === undefined)).toBe(true);
  expect(new Set(other.asked.map(({ search: id }) => id))).toEqual(new Set(['search-1', '1:search-1']));
  expect(() => makeModel({ engine: mine, name: 'second', panel: [second] })).toThrow(
    /panel has two models named 'second'/,
  );
  await first.close();
  expect([mine.closed, other.closed]).toEqual([true, false]);
  await second.close();
});
