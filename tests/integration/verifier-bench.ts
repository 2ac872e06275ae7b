// A remote verifier over test servers with a clock that stands still unless moved: what its tests share.

import { afterEach } from 'vitest';
import { isAnswer } from '../../packages/core/src/engine/engine.ts';
import type { Step } from '../../packages/core/src/tree/step.ts';
import { type OpenVerifierOptions, openRemoteVerifier } from '../../packages/core/src/verifier/remote/open-verifier.ts';
import type { RemoteVerifier } from '../../packages/core/src/verifier/remote/remote-verifier.ts';
import type { ScoreRequest, VerifierMessage } from '../../packages/core/src/verifier/verifier.ts';
import type { TestServer } from '../servers/server.ts';
import { ManualTimers } from '../support/manual-timers.ts';

export const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface VerifierBench {
  readonly verifier: RemoteVerifier;
  readonly timers: ManualTimers;
  score(requests: readonly ScoreRequest[]): Promise<VerifierMessage[]>;
}

export async function openVerifier(
  servers: readonly TestServer[],
  options: Partial<OpenVerifierOptions> & { kind: OpenVerifierOptions['kind'] },
): Promise<VerifierBench> {
  for (const server of servers) await server.listen();
  const timers = new ManualTimers();
  const verifier = await openRemoteVerifier({ servers: servers.map(({ url }) => ({ url })), timers, ...options });
  closing.push(async () => {
    await verifier.close();
    for (const server of servers) await server.close();
  });
  const inbox: VerifierMessage[] = [];
  verifier.connect((message) => inbox.push(message));
  return {
    verifier,
    timers,
    async score(requests) {
      verifier.score(requests);
      const answered = (): VerifierMessage[] =>
        requests.flatMap(({ id }) => inbox.filter((each) => each.request === id && isAnswer(each)));
      for (let turn = 0; answered().length < requests.length; turn += 1) {
        if (turn > 10_000) throw new Error('it never came about');
        timers.advance(50);
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
      return answered();
    },
  };
}

let nextId = 1;
export const step = (text: string): Step => ({ text, tokens: 3, meanLogprob: 0, end: 'delimiter' });
export const request = (text: string, overrides: Partial<ScoreRequest> = {}): ScoreRequest => {
  const id = nextId;
  nextId += 1;
  return {
    id,
    search: 's',
    prompt: { kind: 'chat', messages: [{ role: 'user', content: 'What is 1 + 1?' }] },
    parent: 0,
    index: id,
    path: [],
    step: step(text),
    lane: 'primary',
    priority: 0,
    ...overrides,
  };
};
