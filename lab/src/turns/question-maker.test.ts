import { turnMeaning } from '@coppice/core/answer';
import { describe, expect, it } from 'vitest';
import { heldDomains } from './held-domains.ts';
import { makeQuestions, questionParts, turnKinds } from './question-maker.ts';
import { tuningDomains } from './tuning-domains.ts';

describe.each(questionParts)('questions of the part %s', (part) => {
  const questions = makeQuestions(part, 1, 400);

  it('have right turns that mean something under their schemas, of as many calls as their kind says', () => {
    for (const { id, kind, tools, reference } of questions) {
      expect(turnMeaning(reference, tools), id).toBeTypeOf('string');
      const { length } = reference.calls;
      expect(kind === 'several' ? length > 1 : length === (kind === 'none' ? 0 : 1), id).toBe(true);
    }
  });

  it('have several functions, no right one where only words are right for want of it, and prompts of a bounded length', () => {
    for (const { id, tools, messages } of questions) {
      expect(new Set(tools.map(({ name }) => name)).size, id).toBe(tools.length);
      expect(tools.length, id).toBeGreaterThanOrEqual(3);
      expect(tools.length, id).toBeLessThanOrEqual(8);
      expect(JSON.stringify({ tools, messages }).length, id).toBeLessThan(9000);
    }
    expect(new Set(questions.map(({ kind }) => kind))).toEqual(new Set(turnKinds));
  });

  it('are the same for equal seeds, others for others', () => {
    expect(makeQuestions(part, 1, 40)).toEqual(questions.slice(0, 40));
    const said = (seed: number) =>
      new Set(makeQuestions(part, seed, 100).map(({ messages }) => messages.at(-1)!.content));
    expect([...said(2)].filter((each) => said(1).has(each)).length).toBeLessThan(30);
  });

  it('tell their right turn from a call of any other function that they offer', () => {
    for (const { id, tools, reference } of questions) {
      const right = turnMeaning(reference, tools);
      for (const call of reference.calls)
        for (const { name } of tools) {
          if (reference.calls.some((each) => each.name === name)) continue;
          const calls = reference.calls.map((each) => (each === call ? { ...call, name } : each));
          expect(turnMeaning({ calls }, tools), id).not.toBe(right);
        }
    }
  });
});

it('parts share no function and no sentence', () => {
  const [held, tuning] = [heldDomains, tuningDomains].map((domains) =>
    domains.flatMap(({ tools }) => tools.map(({ name }) => name)),
  );
  expect(new Set([...held!, ...tuning!]).size).toBe(held!.length + tuning!.length);
  const said = [heldDomains, tuningDomains].map((domains) =>
    domains.flatMap(({ wishes }) => wishes.map(({ vague }) => vague)),
  );
  expect(new Set(said.flat()).size).toBe(said.flat().length);
});

it('every function is wished for', () => {
  for (const { tools, wishes } of [...heldDomains, ...tuningDomains])
    expect(new Set(wishes.map(({ tool }) => tool))).toEqual(new Set(tools.map(({ name }) => name)));
});

it('a wish without a required argument names no value of it', () => {
  for (const { tools, wishes } of [...heldDomains, ...tuningDomains])
    for (const { tool, vague } of wishes) {
      expect(tools.find(({ name }) => name === tool)!.parameters.required.length, vague).toBeGreaterThan(0);
      expect(vague).not.toMatch(/[A-Z]{2}-\d/);
    }
});
