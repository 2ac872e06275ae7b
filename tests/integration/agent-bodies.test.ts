// What Codex and Claude Code send in the middle of a conversation, recorded and shortened: each turn of it is a vote, the engine gets a chat
// that every template renders, and the reply names tools as the client does.

import { expect, test } from 'vitest';
import type { PlainTree } from '../../packages/core/src/config/load.ts';
import bodies from '../fixtures/agents.json' with { type: 'json' };
import type { DrawnTurn } from '../servers/vllm-server.ts';
import type { Loose } from '../support/loose.ts';
import { post } from '../support/running-gateway.ts';
import { serveTurns } from '../support/served-turns.ts';

async function ask(
  name: keyof typeof bodies,
  turn: DrawnTurn,
  model: PlainTree = { tools: 'vote' },
  more: object = {},
) {
  const { server, url } = await serveTurns(() => turn, model);
  const { path, headers, body } = bodies[name];
  const response = await post(url + path, { ...body, model: 'm', ...more }, headers);
  const events = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'));
  const told = events.map((line) => JSON.parse(line.slice('data: '.length)) as Loose);
  const list = (await (await fetch(`${url}/v1/searches`)).json()) as Loose;
  return { response, told, session: list.data[0]?.session, engine: server.bodies('/v1/chat/completions')[0] as Loose };
}

const rolesOf = ({ messages }: Loose) => messages.map(({ role }: Loose) => role).join(' ');
const called = (name: string, given: object): DrawnTurn => ({ calls: [{ name, arguments: given }] });

test('Codex: functions of a namespace are called by both names, a search of the web is left out', async () => {
  const { response, told, engine, session } = await ask(
    'codex 0.169.0',
    called('multi_agent_v1__spawn_agent', { message: 'x' }),
  );
  expect(response.headers.get('x-coppice-ignored')).toContain('tools.web_search');
  expect(engine.tools.map((tool: Loose) => tool.function.name)).toEqual([
    'exec_command',
    'multi_agent_v1__spawn_agent',
    'multi_agent_v1__wait_agent',
  ]);
  expect(rolesOf(engine)).toBe('system user user assistant tool assistant tool user assistant tool');
  expect(engine.messages[0].content).toMatch(/^You are a coding agent[\s\S]*<skills[\s\S]*<permissions/);
  expect(engine.messages[3].tool_calls[0].function.name).toBe('multi_agent_v1__spawn_agent');
  expect(session).toBe(bodies['codex 0.169.0'].body.prompt_cache_key);
  const { response: whole } = told.at(-1)!;
  const call = {
    type: 'function_call',
    namespace: 'multi_agent_v1',
    name: 'spawn_agent',
    arguments: '{"message":"x"}',
  };
  expect(whole.output.at(-1)).toMatchObject(call);
  expect(told.find(({ type }) => type === 'response.function_call_arguments.done')).toMatchObject({
    name: 'spawn_agent',
  });
});

test('Codex: a custom tool is a function of one text', async () => {
  const patch = '*** Begin Patch\n*** End Patch\n';
  const { told, engine } = await ask('codex 0.169.0 as gpt-5.5', called('apply_patch', { input: patch }));
  const [{ function: offered }] = engine.tools;
  expect(offered).toMatchObject({ name: 'apply_patch', parameters: { required: ['input'] } });
  expect(offered.description).toContain('start: begin_patch');
  expect(rolesOf(engine)).toBe('user user assistant tool');
  expect(JSON.parse(engine.messages[2].tool_calls[0].function.arguments).input).toContain('+hello');
  const delta = told.find(({ type }) => type === 'response.custom_tool_call_input.delta');
  const done = told.find(({ type }) => type === 'response.custom_tool_call_input.done');
  expect([delta!.delta, done!.input]).toEqual([patch, patch]);
  expect(told.at(-1)!.response.output.at(-1)).toMatchObject({
    type: 'custom_tool_call',
    id: done!.item_id,
    call_id: expect.stringMatching(/^call_/),
    name: 'apply_patch',
    input: patch,
  });
});

const names = Object.keys(bodies) as (keyof typeof bodies)[];
test.each(names)('%s is passed through where its operator wants no votes', async (name) => {
  const { response } = await ask(name, { content: 'So.' }, {});
  expect(response.headers.get('x-coppice')).toBe('passed-through');
});

test('Claude Code: what it says as the system in the middle is said by the user', async () => {
  const { told, engine, session } = await ask('claude-code 2.1.197', called('Bash', { command: 'true' }));
  expect(rolesOf(engine)).toBe('system user assistant tool user');
  expect(engine.messages[0].content).toMatch(/You are a Claude agent[\s\S]*\n\nAvailable agent types/);
  expect(engine.messages[4].content).toContain("The task tools haven't been used recently");
  expect(session).toBe(bodies['claude-code 2.1.197'].headers['x-claude-code-session-id']);
  expect(told.find(({ content_block: block }) => block?.type === 'tool_use')!.content_block.name).toBe('Bash');
});

test('Claude Code: a tool that its search found is told to the model, and offered', async () => {
  const { engine } = await ask('claude-code 2.1.327', called('WebFetch', { url: 'x', prompt: 'y' }));
  expect(rolesOf(engine)).toBe('system user assistant tool');
  expect(engine.messages[3].content).toEqual([{ type: 'text', text: 'The tool WebFetch is there now.' }]);
  expect(engine.tools.map((tool: Loose) => tool.function.name)).toContain('WebFetch');
});

test('a result of a kind that no chat has goes to the engine as it is', async () => {
  const [, , , last] = bodies['claude-code 2.1.327'].body.messages;
  const file = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } };
  const content = [{ type: 'tool_result', tool_use_id: 'call_1', content: [file] }];
  const messages = [...bodies['claude-code 2.1.327'].body.messages.slice(0, 3), { ...last, content }];
  const { response } = await ask('claude-code 2.1.327', {}, { tools: 'vote' }, { messages });
  expect(response.headers.get('x-coppice')).toBe('passed-through');
});

test.each([
  ['low', false],
  ['high', false],
  ['max', true],
])("an agent's usual effort asks for no vote: %s does: %s", async (effort, isVoted) => {
  const { response } = await ask('claude-code 2.1.197', { content: 'So.' }, {}, { output_config: { effort } });
  expect(response.headers.get('x-coppice')).toBe(isVoted ? null : 'passed-through');
});

test('tools of no sense are left out, and a history that is too long is refused by name', async () => {
  const step = { type: 'function', name: 'step', parameters: { type: 'object' } };
  const inner = [null, 7, { type: 'namespace', name: 'm', tools: [step] }, { ...step, name: 9 }, step];
  const tools = [
    null,
    7,
    [],
    { type: 'custom' },
    { type: 'namespace' },
    { type: 'namespace', name: 'n', tools: inner },
  ];
  const { response, engine, told } = await ask('codex 0.169.0', called('n__step', {}), { tools: 'vote' }, { tools });
  expect(response.status).toBe(200);
  expect(engine.tools).toEqual([expect.objectContaining({ function: expect.objectContaining({ name: 'n__step' }) })]);
  expect(told.at(-1)!.response.output.at(-1)).toMatchObject({ namespace: 'n', name: 'step', arguments: '{}' });
  const { url } = await serveTurns(() => ({}), { tools: 'vote' });
  const { body } = bodies['codex 0.169.0'];
  const call = { type: 'function_call', call_id: 'c', name: 'exec_command', arguments: `{"cmd":"${'x'.repeat(1e6)}"}` };
  const long = await post(`${url}/v1/responses`, { ...body, model: 'm', input: [...body.input, call] });
  expect([long.status, ((await long.json()) as Loose).error]).toMatchObject([
    400,
    { code: 'context_length_exceeded', param: 'input' },
  ]);
});
