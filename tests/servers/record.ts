// Records what a real server answers, for the tests that read it back: `node tests/servers/record.ts URL FILE`. Asks for a
// step that is cut by the limit, one that ends at a delimiter, one that ends the answer, siblings where the server takes
// them, and for what it must refuse. Paths of the machine are struck out.

import { writeFileSync } from 'node:fs';
import { isRecord } from '../../packages/core/src/base/record.ts';
import type { Call, ServerFacts } from '../../packages/core/src/engine/remote/dialect/dialect.ts';
import { dialects } from '../../packages/core/src/engine/remote/dialect/dialects.ts';
import { probe } from '../../packages/core/src/engine/remote/dialect/probe.ts';
import { Connection } from '../../packages/core/src/remote/connection.ts';
import { numbers } from '../../packages/core/src/remote/wire-values.ts';

export interface Exchange {
  readonly name: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly status: number;
  readonly reply: string;
}

export interface Recording {
  readonly facts: ServerFacts;
  readonly call: Call;
  readonly exchanges: readonly Exchange[];
}

const [url, file] = process.argv.slice(2);
if (url !== undefined && file !== undefined) await record(url, file);

async function record(server: string, target: string): Promise<void> {
  const connection = new Connection({ url: server });
  const facts = await probe(connection, { timeoutMs: 120_000 });
  const dialect = dialects[facts.dialect];
  const exchanges: Exchange[] = [];

  const exchange = async (name: string, path: string, body: Readonly<Record<string, unknown>>): Promise<string> => {
    const reply = await connection.call('POST', path, body, { timeoutMs: 120_000 });
    exchanges.push({ name, path, body, status: reply.status, reply: reply.body });
    return reply.body;
  };

  let answer: unknown;
  const prompt = { kind: 'chat', messages: [{ role: 'user', content: '3 5 7 -> 22\n' }] } as const;
  for (const next of dialect.render!(prompt, facts)) {
    const { path, body } = next(answer);
    answer = JSON.parse(await exchange('render', path, body));
  }
  const tokenIds = numbers(isRecord(answer) ? answer.tokens : undefined);
  const call: Call = {
    name: 'coppice-00000000-0000000001',
    prompt,
    tokenIds,
    pathText: '',
    siblings: 1,
    logprobs: true,
    delivery: 'tokens',
    sampling: { temperature: 1 },
    seed: 11,
    stops: ['1', '2', '3', '4'],
    maxTokens: 40,
    lane: 'primary',
    priority: 0,
  };
  const send = (name: string, changed: Partial<Call>, extra: Record<string, unknown> = {}): Promise<string> => {
    const { path, body } = dialect.encode({ ...call, ...changed }, facts);
    const inner = body.sampling_params;
    return exchange(
      name,
      path,
      isRecord(inner) ? { ...body, sampling_params: { ...inner, ...extra } } : { ...body, ...extra },
    );
  };
  const end = facts.dialect === 'llama-server' ? { logit_bias: [[1, 1000]] } : { logit_bias: { 1: 100 } };
  await send('length', { stops: ['never'], maxTokens: 5 });
  await send('delimiter', {}, facts.dialect === 'vllm' ? { logit_bias: { 19: 8 } } : {});
  await send('eos', { stops: ['never'] }, end);
  if (facts.dialect === 'llama-server') await send('siblings', { siblings: 2, maxTokens: 4, stops: ['never'] });
  await send('too long', { tokenIds: Array.from({ length: 2000 }, () => tokenIds[0] ?? 5) });
  if (facts.dialect === 'llama-server') await send('too many siblings', { siblings: 99 });
  const scoring = {
    model: facts.model,
    query: tokenIds,
    items: [[20], [21, 22]],
    label_token_ids: [12, 14],
    apply_softmax: true,
  };
  if (facts.dialect === 'sglang') await exchange('scores', '/v1/score', scoring);
  if (facts.dialect === 'vllm') {
    await send('five stops', { stops: ['1', '2', '3', '4', '5'] });
    await send('greedy siblings', { siblings: 2, sampling: { temperature: 0 } });
    await send('wrong model', {}, { model: 'nobody' });
    await exchange('scores', '/generative_scoring', scoring);
  }
  const text = JSON.stringify({ facts, call, exchanges } satisfies Recording, null, 1);
  writeFileSync(target, `${text.replace(/(\/[\w.-]+)+\/([\w-]+\.gguf)/g, '$2').replace(/\.\/hf-tiny/g, 'tiny')}\n`);
  connection.close();
}
