import { expect, onTestFinished, test } from 'vitest';
import { type DrawnTurn, VllmServer } from '../../../../tests/servers/vllm-server.ts';
import type { Loose } from '../../../../tests/support/loose.ts';
import { type EventListener, type SearchOptions, type SpeculativeCall, search, turnIn } from './index.ts';
import { openModel } from './open-search-model.ts';

const parameters = { type: 'object', properties: { path: { type: 'string' }, lines: { default: 9 } } };
const tools = [
  { type: 'function', function: { name: 'read', parameters }, annotations: { readOnlyHint: true } },
  { type: 'function', function: { name: 'write', parameters }, annotations: { readOnlyHint: false } },
];
const prompt = { kind: 'chat', messages: [{ role: 'user', content: 'Look.' }], turn: { tools } } as const;

const turnOf = (...calls: [name: string, given: object][]): DrawnTurn => ({
  content: 'So.',
  calls: calls.map(([name, given]) => ({ name, arguments: given })),
});

/** A model whose draws are these, in this order. */
async function drawing(turns: readonly DrawnTurn[]) {
  const server = new VllmServer();
  let at = 0;
  server.drawTurn = () => turns[at++ % turns.length]!;
  await server.listen();
  onTestFinished(() => server.close());
  const model = await openModel({ engine: { kind: 'openai', urls: [server.url] }, budget: 1 });
  onTestFinished(() => model.close());
  at = 0;
  server.seen.length = 0;
  return { model, server };
}

async function run(turns: readonly DrawnTurn[], options: SearchOptions = {}) {
  const { model, server } = await drawing(turns);
  const told: SpeculativeCall[] = [];
  const onSpeculativeCall = (call: SpeculativeCall) => void told.push(call);
  let after = 0;
  const onEvent: EventListener = ({ event: { type } }) => {
    if (type === 'grown' && told.length > 0) after += 1;
  };
  const found = await search(prompt, { model, program: 'self-consistency', onEvent, onSpeculativeCall, ...options });
  return { told, found, server, after };
}

test('a call that leads is told once, while turns still vote, and only of a tool that reads', async () => {
  const one = turnOf(['read', { path: 'a' }], ['write', { path: 'a' }]);
  const same = turnOf(['write', { path: 'a' }], ['read', { lines: 9, path: 'a' }]);
  const { told, found, server, after } = await run([one, same, turnOf(['read', { path: 'b' }])], { rollouts: 6 });
  expect(after).toBeGreaterThan(1);
  expect(told).toEqual([{ name: 'read', arguments: '{"path":"a"}', support: 1 }]);
  expect(turnIn(found.steps[0]!)?.calls.map(({ name }) => name)).toEqual(['read', 'write']);
  const [{ tools: sent }] = server.bodies('/v1/chat/completions') as [Loose];
  expect(sent).toEqual(tools.map(({ annotations: _, ...tool }) => tool));
});

test('another call is told once its turn leads', async () => {
  const [a, b] = [turnOf(['read', { path: 'a' }]), turnOf(['read', { path: 'b' }])];
  const { told, found } = await run([a, b, b, b], { rollouts: 4 });
  expect(told.map((call) => [call.arguments, call.support])).toEqual([
    ['{"path":"a"}', 1],
    ['{"path":"b"}', 2 / 3],
  ]);
  expect(found.answer).toBe('calls "read"{"lines":9,"path":"b"}');
});

test('a listener that throws, at once or later, ends its search alone', async () => {
  const fail = () => {
    throw new Error('no such file');
  };
  for (const onSpeculativeCall of [fail, async () => fail()]) {
    const { found } = await run([turnOf(['read', { path: 'a' }])], { rollouts: 4, onSpeculativeCall });
    expect(found.exit).toMatchObject({ kind: 'failed', evidence: { message: 'no such file' } });
  }
});

test('a question without tools has no calls to tell', async () => {
  const { model } = await drawing([{}]);
  await expect(search('Look.', { model, onSpeculativeCall: () => {} })).rejects.toThrow(/onSpeculativeCall needs/);
});
