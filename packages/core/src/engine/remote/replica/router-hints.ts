// Hints for a router in front of the servers: whom a request belongs with, how urgent and how long it is. Nothing if several
// replicas are given: then this engine routes.

import { hash } from '../../../base/random.ts';
import { type Call, wirePriority } from '../dialect/dialect.ts';

export const routerNames = ['none', 'vllm', 'sglang', 'llm-d', 'dynamo'] as const;
export type RouterName = (typeof routerNames)[number];

/** Headers in which each router reads a request's session. llm-d's second one, with an old name too, is for fair sharing. */
const searchHeaders: Readonly<Record<RouterName, readonly string[]>> = {
  none: [],
  vllm: ['x-session-id'],
  sglang: ['x-smg-routing-key'],
  'llm-d': ['x-session-id', 'x-llm-d-inference-fairness-id', 'x-gateway-inference-fairness-id'],
  dynamo: ['x-dynamo-session-id'],
};

/** llm-d reads priorities from InferenceObjectives of these names, if the operator made any. */
const objectives = { primary: 'coppice', speculative: 'coppice-speculative' } as const;

export class RouterHints {
  readonly #router: RouterName;
  /** llm-d's router gives a token with an answer and wants it back with the next call. */
  readonly #sessionTokens = new Map<string, string>();

  constructor(router: RouterName = 'none') {
    this.#router = router;
  }

  /** A session is told by its route: the router keeps its turns together as this engine would. */
  headers(search: string, { lane }: Pick<Call, 'lane'>, route = search): Record<string, string> {
    if (this.#router === 'none') return {};
    const key = [hash(route), hash('tail', route)].map((each) => each.toString(16).padStart(8, '0')).join('');
    const told = Object.fromEntries(searchHeaders[this.#router].map((name) => [name, key]));
    if (this.#router !== 'llm-d') return told;
    const objective = objectives[lane];
    const token = this.#sessionTokens.get(search);
    return {
      ...told,
      'x-llm-d-inference-objective': objective,
      'x-gateway-inference-objective': objective,
      ...(token === undefined ? {} : { 'x-session-token': token }),
    };
  }

  /** Dynamo's `speculative_prefill` is left out: the cache is warm. */
  body(call: Call, expectedTokens: number | undefined): Record<string, unknown> {
    if (this.#router !== 'dynamo') return {};
    const osl = Math.min(call.maxTokens, Math.max(1, Math.round(expectedTokens ?? call.maxTokens)));
    return { nvext: { agent_hints: { priority: wirePriority(call, 'higher-first'), osl } } };
  }

  keepSession(search: string, token: unknown): void {
    if (this.#router === 'llm-d' && typeof token === 'string') this.#sessionTokens.set(search, token);
  }

  release(search: string): void {
    this.#sessionTokens.delete(search);
  }
}
