// A share compares two rates of tokens, so both sides must ask for the same work of any model.

import { probe } from '@coppice/core/engine';
import { Connection } from '@coppice/core/remote';
import { expect, it, onTestFinished } from 'vitest';
import { VllmServer } from '../../../tests/servers/vllm-server.ts';
import { AloneClient } from './alone-client.ts';
import { searchRound } from './search-round.ts';

it('asks for steps of one length, through coppice and without it', async () => {
  const server = await new VllmServer().listen();
  onTestFinished(() => server.close());
  const pace = { sequences: 8, warmMs: 60, roundMs: 120 };
  await searchRound({ url: server.url, asking: 'least', stepTokens: 64, ...pace });
  const searched = server.bodies('/v1/completions').length;
  const connection = new Connection({ url: server.url });
  const client = new AloneClient(connection.url, await probe(connection));
  await client.round({ asked: 'plain', stepTokens: 64, ...pace });
  connection.close();
  const bodies = server.bodies('/v1/completions').filter(({ max_tokens: most }) => most === 64);
  expect(searched).toBeGreaterThan(0);
  expect(bodies.length).toBeGreaterThan(searched);
  for (const body of bodies) expect(body).toMatchObject({ ignore_eos: true, min_tokens: 64 });
});
