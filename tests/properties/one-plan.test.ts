// One vocabulary, three ways to speak it: the same settings in a body, by flags and in the configuration make the same plan,
// and a value out of bounds is refused by all three in the same words.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSettings } from '../../packages/coppice/src/cli/flags/settings.ts';
import { makePlan } from '../../packages/core/src/answering/plan/plan.ts';
import { Refusal } from '../../packages/core/src/answering/plan/refusal.ts';
import type { PlannedModel, PlanRequest, SearchPlan } from '../../packages/core/src/answering/plan/search-plan.ts';
import { askedQuestion } from '../../packages/core/src/answering/question.ts';
import { FaultError } from '../../packages/core/src/base/fault.ts';
import type { Knob, Knobs, KnobValue } from '../../packages/core/src/base/knob.ts';
import { hash } from '../../packages/core/src/base/random.ts';
import { checkConfig, nest, overlay, type PlainTree } from '../../packages/core/src/config/load.ts';
import { namedPaths } from '../../packages/core/src/config/named-options.ts';
import type { Config } from '../../packages/core/src/config/schema.ts';
import {
  bodyName,
  knobOf,
  modelKnobs,
  policySettingKnobs,
  requestKnobs,
  type SearchKnob,
  samplingKnobs,
  searchKnobNames,
  settingName,
  writtenName,
} from '../../packages/core/src/config/vocabulary.ts';
import { policyKnobs } from '../../packages/core/src/policy/knobs.ts';
import { askedIn } from '../../packages/gateway/src/dialects/body-wish.ts';
import { chatSchema, parseChatBody } from '../../packages/gateway/src/dialects/chat-body.ts';

/** Settings by name, options of programs and rules by their path. */
type Values = Partial<Record<string, KnobValue>>;

function knob(name: string): Knob {
  return namedPaths().get(name)?.knob ?? knobOf(name as SearchKnob);
}

/** Objects of parts where names are paths. */
function nested(values: Values, written: (name: string) => string = (name) => name): PlainTree {
  return Object.entries(values).reduce<PlainTree>((tree, [name, value]) => {
    const path = name.split('.').map(written);
    return overlay(tree, nest(path, value));
  }, {});
}

const question = 'What is 17 times 23?';
const perModel = [...[modelKnobs, samplingKnobs, policySettingKnobs].flatMap(Object.keys), ...namedPaths().keys()];
const forClients = [...searchKnobNames.filter((name) => knobOf(name).client !== undefined), ...namedPaths().keys()];
/** What every one of the three can say; the rest is the request's own, or the operator's. */
const everywhere = perModel.filter((name) => forClients.includes(name));

function configOf(values: Values = {}): Config {
  const model: PlainTree = { name: 'm', engine: { kind: 'sim' }, verifier: { kind: 'sim' } };
  const named = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [settingName(name as SearchKnob), value]),
  );
  return checkConfig({ models: [{ ...model, ...nested(named) }] });
}

const engine: PlannedModel['engine'] = { capabilities: {} };

function planned(config: Config, asked: Pick<PlanRequest, 'question' | 'wish' | 'speaker'>): SearchPlan {
  const model: PlannedModel = {
    config: config.models[0]!,
    engine,
    verifier: { capabilities: { aggregation: 'product' } },
  };
  const server = { model, limits: config.limits, maxPriority: 0, defaultDeadlineMs: 1000, seed: 7 };
  return makePlan({ ...server, ...asked });
}

function byBody(values: Values): SearchPlan {
  // Of speculation a client has at most what the operator gave.
  const config = configOf(values.speculate === undefined ? {} : { speculate: policySettingKnobs.speculate.high });
  return planned(config, askedIn(bodyOf(values), config.limits, { engine, config: config.models[0]! }));
}

function bodyOf(values: Values) {
  const coppice: Record<string, unknown> = {};
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    if (knob(name).client === 'openai') fields[bodyName(name)] = value;
    else Object.assign(coppice, overlay(coppice, nested({ [name]: value }, bodyName)));
  }
  return parseChatBody(chatSchema, { model: 'm', messages: [{ role: 'user', content: question }], ...fields, coppice });
}

function byFlags(values: Values): SearchPlan {
  const texts = Object.entries(values).map(([name, value]) => `${settingName(name as SearchKnob)}=${value}`);
  const { wish } = readSettings(texts, { search: searchKnobNames, model: () => false });
  return planned(configOf(), { question: askedQuestion(question), wish, speaker: 'flags' });
}

function byConfig(values: Values): SearchPlan {
  return planned(configOf(values), { question: askedQuestion(question), wish: {}, speaker: 'body' });
}

function within(knob: Knob): fc.Arbitrary<KnobValue> {
  if ('values' in knob) return fc.constantFrom(...knob.values);
  if (knob.whole) return fc.integer({ min: knob.low, max: knob.high });
  return fc.double({ min: knob.low, max: knob.high, noNaN: true });
}

function someOf(names: readonly string[]): fc.Arbitrary<Values> {
  const each = Object.fromEntries(names.map((name) => [name, within(knob(name))]));
  return fc.record(each, { requiredKeys: [] }) as fc.Arbitrary<Values>;
}

/** Without the options of other programs, which are refused, and with half of the rest: most draws have some that contradict each other. */
function withoutForeign(values: Values, salt: number): Values {
  const parts = [String(values.program ?? knobOf('program').default)];
  const own = (name: string) => !name.includes('.') || parts.includes(name.split('.')[0]!);
  return Object.fromEntries(Object.entries(values).filter(([name]) => own(name) && hash(name, salt) % 2 === 0));
}

function refusalOf(plan: () => unknown): string | undefined {
  try {
    plan();
    return undefined;
  } catch (error) {
    if (error instanceof FaultError) return error.fault.message;
    return error instanceof Error ? error.message : String(error);
  }
}

describe('one plan', () => {
  it('is made of the same settings in a body, by flags and in the configuration', () => {
    let made = 0;
    fc.assert(
      fc.property(someOf(everywhere), fc.nat(), (drawn, salt) => {
        const values = salt % 4 > 0 ? withoutForeign(drawn, salt) : drawn;
        if (refusalOf(() => byBody(values)) !== undefined) {
          expect(refusalOf(() => byFlags(values))).toBeDefined();
          return;
        }
        made += 1;
        expect(byFlags(values)).toEqual(byBody(values));
        expect(byConfig(values)).toEqual(byBody(values));
      }),
      { numRuns: 400 },
    );
    expect(made).toBeGreaterThan(25);
  });

  it('is plain data', () => {
    const plan = byBody({ rollouts: 3, topK: 5 });
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
  });
});

describe('a value out of bounds', () => {
  const beyond = (knob: Knob): KnobValue => ('values' in knob ? 'nonsense' : knob.high + 1);

  it.each(forClients)('of %s is refused in the same words', (name) => {
    const value = beyond(knob(name));
    const inBody = refusalOf(() => byBody({ [name]: value }));
    const byFlag = refusalOf(() => byFlags({ [name]: value }));
    const written = knob(name).client === 'openai' ? bodyName(name) : `coppice.${bodyName(name)}`;
    const reason = byFlag?.replace(/^--(set )?\S+ /, '');
    expect(reason).toMatch(/^is .*; it must be (one of|a whole number from|a number from) /);
    expect(byFlag).toBe(`${writtenName(name, 'flags')} ${reason}`);
    // OpenAI's seeds have more bits.
    expect(inBody).toBe(name === 'seed' ? undefined : `'${written}' ${reason}`);
    if (!perModel.includes(name)) return;
    const path = Object.hasOwn(samplingKnobs, name) ? `sampling.${name}` : name;
    expect(refusalOf(() => configOf({ [name]: value }))).toBe(`models.0.${path} ${reason}`);
  });

  it('is refused by the plan itself, whoever forgot to look', () => {
    const wish = { rollouts: 0 };
    const asked = { question: askedQuestion(question), wish, speaker: 'body' as const };
    expect(() => planned(configOf(), asked)).toThrow(Refusal);
  });
});

describe('the vocabulary', () => {
  it('gives one name to one thing: no setting of a program or policy hides another', () => {
    const sets: Knobs[] = [modelKnobs, samplingKnobs, requestKnobs, policyKnobs];
    const found = new Map<string, Knob>();
    for (const [name, knob] of sets.flatMap((set) => Object.entries(set))) {
      expect(found.get(name) ?? knob, name).toBe(knob);
      found.set(name, knob);
      if (!knob.internal) expect(knobOf(name as SearchKnob), name).toBe(knob);
    }
  });

  it('has defaults within their own bounds', () => {
    const defaults = perModel.flatMap((name) => {
      const { default: value } = knob(name);
      return value === undefined ? [] : [[name, value] as const];
    });
    expect(() => configOf(Object.fromEntries(defaults))).not.toThrow();
  });
});
