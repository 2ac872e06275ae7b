// Searches of the library on one model, enough that every strand has work: about twice as many as run are submitted, and the next question
// follows each that ends.

import { SearchModel } from '@coppice/core';
import type { OpenModel } from '@coppice/core/answering';
import { isAnswer } from '@coppice/core/engine';
import type { Engine, SearchRequest } from 'coppice';
import { decodedOf, readEngine } from './alone-load.ts';
import { type AskedServer, readServers } from './server-reading.ts';
import type { WireLoad } from './wire-load.ts';

/** Searches that fail without one between them that does not. */
const mostFailures = 20;
/** Beyond twice what fills the strands, for small numbers. */
const moreWaiting = 4;

/** `parts` are closed with the load. Without servers the engine is in this process. */
export function searchLoad(
  parts: OpenModel,
  servers: readonly AskedServer[],
  strands: number,
  next: () => SearchRequest,
): WireLoad {
  let [tokens, failures] = [0, 0];
  const engine = counted(parts.engine, (count) => {
    tokens += count;
  });
  const model = new SearchModel({ ...parts, engine, config: { ...parts.config, budget: strands } });
  const ending = new AbortController();
  let broken: Error | undefined;
  const run = async (request: SearchRequest): Promise<void> => {
    for (let asked = request; ; asked = next()) {
      const { result, fault } = await model.run(asked, undefined, ending.signal);
      failures = result.exit.kind === 'failed' ? failures + 1 : 0;
      if (failures >= mostFailures) broken ??= new Error(fault?.message ?? 'searches fail');
      if (ending.signal.aborted || broken !== undefined) return;
    }
  };
  const first = next();
  const open = Math.ceil((2 * strands) / first.program.naturalWidth) + moreWaiting;
  const runs = [run(first), ...Array.from({ length: open - 1 }, () => run(next()))];
  return {
    async read() {
      if (broken !== undefined) throw broken;
      if (servers.length === 0) return readEngine(parts.engine, tokens);
      const reading = await readServers(servers);
      return { ...reading, tokens: reading.tokens ?? tokens };
    },
    cancel: () => ending.abort(),
    async close() {
      ending.abort();
      await Promise.all(runs);
      await model.close();
    },
  };
}

/** Tells of tokens as their steps end. */
function counted(engine: Engine, count: (tokens: number) => void): Engine {
  const connect = engine.connect.bind(engine);
  engine.connect = (post) =>
    connect((message) => {
      if (isAnswer(message)) count(decodedOf(message.usage));
      post(message);
    });
  return engine;
}
