// What evaluation and load tools send: stop strings with line breaks and temperature 0. Neither may be refused, lose the answer or make
// one path of a tree.

import { describe, expect, test } from 'vitest';
import type { GenerateRequest } from '../../src/engine/engine.ts';
import type { Loose } from '../support/loose.ts';
import { ask, post, question, runGateway, serverEvents } from '../support/running-gateway.ts';
import { type Script, ScriptedEngine } from '../support/scripted-engine.ts';

/** The text as an engine would give it: up to and with the first of the delimiters. */
function upTo(text: string, { delimiters }: GenerateRequest): string {
  const ends = delimiters.flatMap((each) => (text.includes(each) ? [text.indexOf(each) + each.length] : []));
  return ends.length === 0 ? text : text.slice(0, Math.min(...ends));
}

/** Writes one text on, step by step. */
function writer(text: string): Script {
  return (request) => {
    const said = request.path.reduce((sum, { step }) => sum + step.text.length, 0);
    const rest = text.slice(said);
    const step = upTo(rest, request);
    return step.length < rest.length ? { text: step, end: 'delimiter' } : { text: rest, end: 'eos' };
  };
}

const text = 'First we add.\n\nThe answer is 24.\n\nQuestion: what is next?\n\nAnother one.';

describe('a stop string with a line break', () => {
  const cases: [string, string, string][] = [
    ['\n\n', 'First we add.', ''],
    ['\n', 'First we add.', ''],
    ['Question:', 'The answer is 24.\n\n', 'First we add.\n\nThe answer is 24.\n\n'],
    ['\n\nQuestion:', 'The answer is 24.\n\n', 'First we add.\n\nThe answer is 24.\n\n'],
    ['24.\n\nQuest', 'The answer is 24.\n\n', 'First we add.\n\nThe answer is 24.\n\n'],
    ['is 24', 'The answer ', 'First we add.\n\n'],
  ];

  test.each(cases)('%j ends the answer, whole and streamed', async (stop, content, reasoning) => {
    const { url } = await runGateway({ scripted: { script: writer(text) } });
    const { choices } = await ask(url, { stop });
    const [{ message, finish_reason }] = choices;
    expect([message.content, message.reasoning_content ?? '', finish_reason]).toEqual([content, reasoning, 'stop']);
    const response = await post(`${url}/v1/chat/completions`, { ...question, stop: [stop, '</s>'], stream: true });
    const deltas: Loose[] = [];
    for await (const { data = '' } of serverEvents(response))
      if (data.startsWith('{')) deltas.push(JSON.parse(data).choices[0]?.delta ?? {});
    const joined = (field: string) => deltas.map((delta) => delta[field] ?? '').join('');
    expect([joined('content'), joined('reasoning_content')]).toEqual([content, reasoning]);
  });
});

describe('temperature 0', () => {
  /** Whether the draw is the first of the first path. */
  const isFirst = ({ index, path }: GenerateRequest) =>
    index === 0 && path.every(({ step }) => !step.text.includes('way 1'));
  const script: Script = ({ path, index, sampling, seed }) => {
    const way = sampling.temperature === 0 ? 0 : index + (seed % 2);
    if (path.length < 2) return { text: `step ${path.length + 1} way ${way}\n\n`, end: 'delimiter' };
    return { text: `The answer is ${sampling.temperature === 0 ? 'greedy' : way}.`, end: 'eos' };
  };

  test.each(['mcts', 'beam', 'best-of-n', 'self-consistency'])(
    'draws the first path of %s greedily and the others at the usual temperature',
    async (program) => {
      const engine = new ScriptedEngine({ script });
      const { url } = await runGateway({ engine, model: { sampling: { temperature: 0.6 } } });
      const wish = { temperature: 0, coppice: { program, policy: 'vanilla', rollouts: 4 } };
      const first = await ask(url, wish);
      expect(first.status).toBe(200);
      const cold = engine.asked.filter(({ sampling }) => sampling.temperature === 0);
      expect(cold.length).toBeGreaterThanOrEqual(3);
      expect(cold.every(isFirst)).toBe(true);
      const others = engine.asked.filter((request) => !cold.includes(request));
      expect(new Set(others.map(({ sampling }) => sampling.temperature))).toEqual(new Set([0.6]));
      expect(first.coppice.nodes).toBeGreaterThan(cold.length + 1);
      const again = await ask(url, wish);
      expect(again.choices).toEqual(first.choices);
      expect(again.coppice.nodes).toBe(first.coppice.nodes);
    },
  );

  test('is the answer of the model alone under greedy', async () => {
    const engine = new ScriptedEngine({ script });
    const { url } = await runGateway({ engine });
    const { choices } = await ask(url, { temperature: 0, coppice: { program: 'greedy' } });
    expect(choices[0].message.content).toBe('The answer is greedy.');
    expect(engine.asked.every(({ sampling }) => sampling.temperature === 0)).toBe(true);
  });

  test('a response says the temperature that was asked for', async () => {
    const { url } = await runGateway();
    const response = await post(`${url}/v1/responses`, { model: 'm', input: 'x', temperature: 0 });
    expect(((await response.json()) as Loose).temperature).toBe(0);
  });
});
