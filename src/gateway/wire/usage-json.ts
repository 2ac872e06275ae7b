// What `/v1/usage` writes: what keys have used since the start of this process. Types only.

interface QuotaJson {
  readonly used: number;
  readonly limit: number | null;
}

export interface UsageJson {
  readonly object: 'list';
  readonly since_ms: number;
  readonly data: readonly {
    readonly object: 'usage';
    readonly key: string;
    readonly requests: number;
    /** By its quota. */
    readonly refused: number;
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly verifier_tokens: number;
    /** Null where it has none. */
    readonly quota: {
      readonly window_ms: number;
      readonly ends_ms: number;
      readonly requests: QuotaJson;
      readonly tokens: QuotaJson;
    } | null;
  }[];
}
