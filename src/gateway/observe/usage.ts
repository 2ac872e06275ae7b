// What each key has used since the start, and what it may still use: requests are counted when they are let in, tokens when
// their search has ended. Quotas are windows of the clock. Where nodes share a journal, each counts its own and learns every two seconds
// what the others have counted (decision 33).

import type { Clock } from '../../base/clock.ts';
import type { KeyConfig } from '../../config/schema.ts';
import type { WindowUse } from '../../journal/cluster.ts';
import { ApiError } from '../http/api-error.ts';
import type { UsageJson } from '../wire/usage-json.ts';
import type { ObservedEnd, ObservedSearch } from './observed.ts';

interface UsedTokens {
  readonly prompt: number;
  readonly completion: number;
  readonly verifier: number;
}

interface KeyUsage {
  requests: number;
  refused: number;
  promptTokens: number;
  completionTokens: number;
  verifierTokens: number;
  /** Of the quota's window. */
  windowMs: number;
  windowRequests: number;
  windowTokens: number;
}

type KeyQuota = NonNullable<KeyConfig['quota']>;

/** Of a search whose cost is final. */
export function countUsage(meter: UsageMeter, { facts }: ObservedSearch, { result }: ObservedEnd): void {
  if (result === undefined) return;
  const { usage, tokens } = result.outcome;
  const { prompt_tokens: prompt, completion_tokens: completion } = usage;
  meter.spent(facts.owner, { prompt, completion, verifier: tokens.verifier ?? 0 });
}

export class UsageMeter {
  readonly #clock: Clock;
  readonly #sinceMs: number;
  readonly #used = new Map<string, KeyUsage>();
  #quotas: ReadonlyMap<string, KeyQuota> = new Map();
  /** By key, of the window that other nodes last told of. */
  #elsewhere: ReadonlyMap<string, WindowUse> = new Map();

  constructor(clock: Clock, keys: readonly KeyConfig[]) {
    this.#clock = clock;
    this.#sinceMs = clock.nowMs();
    this.useKeys(keys);
  }

  /** From now on these are the keys; what was used stays. */
  useKeys(keys: readonly KeyConfig[]): void {
    this.#quotas = new Map(keys.flatMap(({ name, quota }) => (quota === undefined ? [] : [[name, quota] as const])));
    for (const { name } of keys) this.#of(name);
  }

  /** Counts a request, or refuses it with the time after which to come back. */
  request(key: string): void {
    const used = this.#of(key);
    const quota = this.#quotas.get(key);
    if (quota !== undefined) this.#check(key, used, quota);
    used.requests += 1;
    used.windowRequests += 1;
  }

  spent(key: string, { prompt, completion, verifier }: UsedTokens): void {
    const used = this.#of(key);
    used.promptTokens += prompt;
    used.completionTokens += completion;
    used.verifierTokens += verifier;
    used.windowTokens += prompt + completion;
  }

  /** What this process has counted, of every key with a quota. */
  windows(): WindowUse[] {
    return Array.from(this.#quotas, ([key, { windowMs: spanMs }]) => {
      const { windowMs, windowRequests, windowTokens } = this.#of(key);
      return { key, spanMs, windowMs, requests: windowRequests, tokens: windowTokens };
    });
  }

  /** What the other nodes have counted. */
  learn(elsewhere: readonly WindowUse[]): void {
    this.#elsewhere = new Map(elsewhere.map((used) => [used.key, used]));
  }

  /** Of one key, or of all. */
  view(key?: string): UsageJson {
    const names = key === undefined ? [...this.#used.keys()] : [key];
    return { object: 'list', since_ms: Math.round(this.#sinceMs), data: names.map((name) => this.#json(name)) };
  }

  #json(name: string): UsageJson['data'][number] {
    const used = this.#of(name);
    const quota = this.#quotas.get(name);
    const window = this.#windowOf(name, used);
    return {
      object: 'usage',
      key: name,
      requests: used.requests,
      refused: used.refused,
      prompt_tokens: used.promptTokens,
      completion_tokens: used.completionTokens,
      verifier_tokens: used.verifierTokens,
      quota:
        quota === undefined
          ? null
          : {
              window_ms: quota.windowMs,
              ends_ms: used.windowMs + quota.windowMs,
              requests: { used: window.requests, limit: quota.requests ?? null },
              tokens: { used: window.tokens, limit: quota.tokens ?? null },
            },
    };
  }

  /** Over all nodes, as far as this one has heard. */
  #windowOf(key: string, { windowMs, windowRequests, windowTokens }: KeyUsage) {
    const told = this.#elsewhere.get(key);
    const others = told?.windowMs === windowMs ? told : { requests: 0, tokens: 0 };
    return { requests: windowRequests + others.requests, tokens: windowTokens + others.tokens };
  }

  #check(key: string, used: KeyUsage, { requests, tokens, windowMs }: KeyQuota): void {
    const window = this.#windowOf(key, used);
    const [taken, limit, unit] =
      requests !== undefined && window.requests >= requests
        ? [window.requests, requests, 'requests']
        : [window.tokens, tokens ?? Number.POSITIVE_INFINITY, 'tokens'];
    if (taken < limit) return;
    used.refused += 1;
    const retryAfterSeconds = Math.max(1, Math.ceil((used.windowMs + windowMs - this.#clock.nowMs()) / 1000));
    const message = `this key has used ${taken} ${unit} of ${limit} in ${windowMs} ms (keys.quota.${unit})`;
    throw new ApiError('quota_exceeded', message, { retryAfterSeconds });
  }

  /** As of now: a window that is over begins anew. */
  #of(key: string): KeyUsage {
    const spanMs = this.#quotas.get(key)?.windowMs ?? 1;
    const windowMs = Math.floor(this.#clock.nowMs() / spanMs) * spanMs;
    const none = { requests: 0, refused: 0, promptTokens: 0, completionTokens: 0, verifierTokens: 0 };
    const used = this.#used.get(key) ?? { ...none, windowMs, windowRequests: 0, windowTokens: 0 };
    if (used.windowMs !== windowMs) Object.assign(used, { windowMs, windowRequests: 0, windowTokens: 0 });
    this.#used.set(key, used);
    return used;
  }
}
