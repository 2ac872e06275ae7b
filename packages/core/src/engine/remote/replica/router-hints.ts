// What a router in front of the servers is told of a request, by its own documentation: whom it belongs with, how urgent it is and how
// long it will be. Nothing where the replicas are listed: then this engine is the router, and two would work against each other.

import { hash } from '../../../base/random.ts';
import { type Call, wirePriority } from '../dialect/dialect.ts';

export const routerNames = ['none', 'vllm', 'sglang', 'llm-d', 'dynamo'] as const;
export type RouterName = (typeof routerNames)[number];

/**
 * The request headers in which each reads whom a request belongs with: the session key of vLLM's routers (production-stack and
 * vllm-router), SGLang's and Dynamo's own. llm-d also shares fairly between the values of a second one, and a tree is what it should
 * share between; that one has an old name too.
 */
const searchHeaders: Readonly<Record<RouterName, readonly string[]>> = {
  none: [],
  vllm: ['x-session-id'],
  sglang: ['x-smg-routing-key'],
  'llm-d': ['x-session-id', 'x-llm-d-inference-fairness-id', 'x-gateway-inference-fairness-id'],
  dynamo: ['x-dynamo-session-id'],
};

/** llm-d reads priorities from InferenceObjectives: of these names, where the operator has made any. Others count as the default. */
const objectives = { primary: 'coppice', speculative: 'coppice-speculative' } as const;

export interface RoutingOptions {
  /** What stands in front of the one server that is given; with several servers this engine routes. */
  readonly router?: RouterName;
  /** Request headers that carry one key per search, where that router was told to read others than usual. */
  readonly routingHeaders?: readonly string[];
}

export class RouterHints {
  readonly #router: RouterName;
  readonly #headerNames: readonly string[];
  /** Given by llm-d's router with an answer, and sent back with the next call. */
  readonly #sessionTokens = new Map<string, string>();

  constructor({ router = 'none', routingHeaders }: RoutingOptions) {
    this.#router = router;
    this.#headerNames = routingHeaders ?? searchHeaders[router];
  }

  headers(search: string, { lane }: Pick<Call, 'lane'>): Record<string, string> {
    if (this.#headerNames.length === 0) return {};
    const key = [hash(search), hash('tail', search)].map((each) => each.toString(16).padStart(8, '0')).join('');
    const told = Object.fromEntries(this.#headerNames.map((name) => [name, key]));
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

  /** Fields beside the dialect's. Dynamo's `speculative_prefill` is left out: a step goes on in a cache that is warm. */
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
