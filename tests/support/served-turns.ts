// A gateway before a server that speaks vLLM's chat with tools, for tests of agents.

import { onTestFinished } from 'vitest';
import { openModels } from '../../packages/core/src/answering/models/open-models.ts';
import { checkConfig, type PlainTree } from '../../packages/core/src/config/load.ts';
import { SqliteJournal } from '../../packages/core/src/journal/sqlite/sqlite-journal.ts';
import { Gateway } from '../../packages/gateway/src/gateway.ts';
import { silentLog } from '../../packages/gateway/src/observe/log.ts';
import { type AskedTurn, type DrawnTurn, VllmServer } from '../servers/vllm-server.ts';

/** `turn`: what its model draws; without it the server does not parse calls. */
export async function serveTurns(turn: ((asked: AskedTurn) => DrawnTurn) | undefined, model: PlainTree = {}) {
  const server = new VllmServer();
  server.drawTurn = turn;
  await server.listen();
  onTestFinished(() => server.close());
  const engine = { kind: 'openai', urls: [server.url] };
  const config = checkConfig({ server: { port: 0, shutdownMs: 0 }, models: [{ name: 'm', engine, ...model }] });
  const models = await openModels(config.models, {});
  const gateway = new Gateway({ config, models, journal: new SqliteJournal({ path: ':memory:' }), log: silentLog });
  const url = await gateway.listen();
  onTestFinished(() => gateway.close());
  // Forgets the probe of the server's features.
  server.seen.length = 0;
  return { server, url };
}

export const allDone = 'All ten are done.';

/** Ten turns that call `step` with the numbers from 1 on, wrong in one of seven draws; words at the end. */
export function tenTurns({ messages, seed }: AskedTurn): DrawnTurn {
  const done = messages.filter(({ role }) => role === 'tool').length;
  if (done >= 10) return { content: allDone };
  return { calls: [{ name: 'step', arguments: { n: seed % 7 === 0 ? 99 : done + 1 } }] };
}
