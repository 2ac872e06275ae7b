// Counts what each key has used, and checks its quota: requests at admission, tokens when their search has ended. Nodes that share a
// journal count their own and learn every two seconds what the others have counted (decision 33).

import type { Clock } from '@coppice/core/base';
import type { KeyConfig } from '@coppice/core/config';
import type { WindowUse } from '@coppice/core/journal';
import { ApiError } from '../http/api-error.ts';
import type { ClientResult } from '../wire/result-json.ts';
import type { UsageJson } from '../wire/server-json.ts';

const unused = { requests: 0, refused: 0, prompt_tokens: 0, completion_tokens: 0, verifier_tokens: 0 };

interface KeyUsage {
  readonly total: typeof unused;
  windowMs: number;
  requests: number;
  tokens: number;
}

type KeyQuota = NonNullable<KeyConfig['quota']>;

export class UsageMeter {
  readonly #clock: Clock;
  readonly #sinceMs: number;
  readonly #used = new Map<string, KeyUsage>();
  #quotas: ReadonlyMap<string, KeyQuota> = new Map();
  #elsewhere: ReadonlyMap<string, WindowUse> = new Map();

  constructor(clock: Clock, keys: readonly KeyConfig[]) {
    this.#clock = clock;
    this.#sinceMs = clock.nowMs();
    this.useKeys(keys);
  }

  useKeys(keys: readonly KeyConfig[]): void {
    this.#quotas = new Map(keys.flatMap(({ name, quota }) => (quota === undefined ? [] : [[name, quota] as const])));
    for (const { name } of keys) this.#of(name);
  }

  request(key: string): void {
    const used = this.#of(key);
    const quota = this.#quotas.get(key);
    if (quota !== undefined) this.#check(key, used, quota);
    used.total.requests += 1;
    used.requests += 1;
  }

  spent(key: string, { prompt, completion, verifier }: Record<'prompt' | 'completion' | 'verifier', number>): void {
    const used = this.#of(key);
    used.total.prompt_tokens += prompt;
    used.total.completion_tokens += completion;
    used.total.verifier_tokens += verifier;
    used.tokens += prompt + completion;
  }

  ended(key: string, result: ClientResult | undefined): void {
    if (result === undefined) return;
    const { usage, tokens } = result.outcome;
    const { prompt_tokens: prompt, completion_tokens: completion } = usage;
    this.spent(key, { prompt, completion, verifier: tokens.verifier ?? 0 });
  }

  windows(): WindowUse[] {
    return Array.from(this.#quotas, ([key, { windowMs: spanMs }]) => {
      const { windowMs, requests, tokens } = this.#of(key);
      return { key, spanMs, windowMs, requests, tokens };
    });
  }

  learn(elsewhere: readonly WindowUse[]): void {
    this.#elsewhere = new Map(elsewhere.map((used) => [used.key, used]));
  }

  view(key?: string): UsageJson {
    const names = key === undefined ? [...this.#used.keys()] : [key];
    return { object: 'list', since_ms: Math.round(this.#sinceMs), data: names.map((name) => this.#json(name)) };
  }

  #json(name: string): UsageJson['data'][number] {
    const used = this.#of(name);
    const quota = this.#quotas.get(name);
    const window = this.#windowOf(name, used);
    const left = quota && {
      window_ms: quota.windowMs,
      ends_ms: used.windowMs + quota.windowMs,
      requests: { used: window.requests, limit: quota.requests ?? null },
      tokens: { used: window.tokens, limit: quota.tokens ?? null },
    };
    return { object: 'usage', key: name, ...used.total, quota: left ?? null };
  }

  #windowOf(key: string, { windowMs, requests, tokens }: KeyUsage) {
    const told = this.#elsewhere.get(key);
    const others = told?.windowMs === windowMs ? told : { requests: 0, tokens: 0 };
    return { requests: requests + others.requests, tokens: tokens + others.tokens };
  }

  #check(key: string, used: KeyUsage, { requests, tokens, windowMs }: KeyQuota): void {
    const window = this.#windowOf(key, used);
    const [taken, limit, unit] =
      requests !== undefined && window.requests >= requests
        ? [window.requests, requests, 'requests']
        : [window.tokens, tokens ?? Number.POSITIVE_INFINITY, 'tokens'];
    if (taken < limit) return;
    used.total.refused += 1;
    const retryAfterSeconds = Math.max(1, Math.ceil((used.windowMs + windowMs - this.#clock.nowMs()) / 1000));
    const message = `this key has used ${taken} ${unit} of ${limit} in ${windowMs} ms (keys.quota.${unit})`;
    throw new ApiError('quota_exceeded', message, { retryAfterSeconds });
  }

  #of(key: string): KeyUsage {
    const spanMs = this.#quotas.get(key)?.windowMs ?? 1;
    const windowMs = Math.floor(this.#clock.nowMs() / spanMs) * spanMs;
    const fresh = { windowMs, requests: 0, tokens: 0 };
    const used = this.#used.get(key) ?? { total: { ...unused }, ...fresh };
    if (used.windowMs !== windowMs) Object.assign(used, fresh);
    this.#used.set(key, used);
    return used;
  }
}
