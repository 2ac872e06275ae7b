// A reward model on several servers: a search stays with one, and goes elsewhere where that one is full, failing or out.

import { expect, it } from 'vitest';
import { VllmServer } from '../servers/vllm-server.ts';
import { closing, openVerifier as open, request, step } from './verifier-bench.ts';

it('scores of a search come from the server that has read its path, as cheaply as from a single one', async () => {
  const questions = Array.from({ length: 9 }, (_, at) => `Question ${at}: ${'how many are there? '.repeat(8)}`);
  const computedBy = async (servers: readonly VllmServer[]): Promise<number> => {
    const { score } = await open(servers, { kind: 'math-shepherd' });
    let computed = 0;
    for (const depth of [0, 1, 2, 3]) {
      const path = Array.from({ length: depth }, (_, at) => ({
        key: at + 1,
        step: step(`Step ${at} of some length.`),
      }));
      const asked = questions.map((content, at) => {
        const prompt = { kind: 'chat', messages: [{ role: 'user', content }] } as const;
        return request(`Step ${depth} of some length.`, { search: `s-${at}`, prompt, parent: depth, path });
      });
      for (const each of await score(asked)) computed += each.type === 'score' ? each.usage.computedTokens : 0;
    }
    return computed;
  };
  const alone = await computedBy([new VllmServer()]);
  const servers = [new VllmServer(), new VllmServer(), new VllmServer()];
  expect(await computedBy(servers)).toBeLessThan(1.1 * alone);
  const askedOf = servers.map((server) => {
    const texts = server.bodies('/v1/completions').flatMap(({ prompt }) => prompt as string[]);
    return questions.filter((question) => texts.some((text) => text.includes(question)));
  });
  expect(askedOf.map(({ length }) => length)).toEqual([3, 3, 3]);
  expect(new Set(askedOf.flat()).size).toBe(9);
});

it('scores come from an idle server while that of the search is full, and from any while it is out', async () => {
  const servers = [new VllmServer(), new VllmServer()];
  const { score, verifier } = await open(servers, { kind: 'math-shepherd', calls: 1 });
  verifier.score([request('first', { parent: 1 })]);
  expect(await score([request('second', { parent: 2 })])).toMatchObject([{ type: 'score' }]);
  const isAsked = (server: VllmServer, text: string) => JSON.stringify(server.bodies('/v1/completions')).includes(text);
  expect(servers.map((server) => [isAsked(server, 'first'), isAsked(server, 'second')])).toEqual([
    [true, false],
    [false, true],
  ]);
  await servers[0]!.close();
  const late = Array.from({ length: 12 }, (_, at) => request(`late ${at}`, { search: `s-${at % 3}`, parent: at }));
  expect((await score(late)).map(({ type }) => type)).toEqual(late.map(() => 'score'));
});

it.each([429, 500])(
  'scores come from another server where that of the search answers %i, which is not asked again and again',
  async (status) => {
    const servers = [new VllmServer(), new VllmServer()];
    const { score } = await open(servers, { kind: 'math-shepherd' });
    await score([request('first')]);
    servers[0]!.mischief = () => ({ type: 'status', status });
    const asked = servers[0]!.bodies('/v1/completions').length;
    for (let at = 0; at < 4; at += 1) {
      expect(await score([request(`later ${at}`, { parent: at })])).toMatchObject([{ type: 'score' }]);
    }
    expect(servers[0]!.bodies('/v1/completions').length - asked).toBeLessThanOrEqual(4);
  },
);

it('scores come from another server when one fails, and after an outage when it ends', async () => {
  const [first, second] = [new VllmServer(), new VllmServer()];
  const { score } = await open([first, second], { kind: 'qwen-prm' });
  const port = Number(new URL(second.url).port);
  await first.close();
  const requests = Array.from({ length: 12 }, (_, at) => request(`step ${at}`, { parent: at }));
  expect((await score(requests)).map(({ type }) => type)).toEqual(requests.map(() => 'score'));
  await second.close();
  const waiting = score([request('late')]);
  const back = await new VllmServer().listen(port);
  closing.push(() => back.close());
  expect(await waiting).toMatchObject([{ type: 'score' }]);
});
