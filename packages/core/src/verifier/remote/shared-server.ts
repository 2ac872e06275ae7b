// SGLang 0.5.14 to 0.5.17 at least end their scheduler at a batch with a score and a generation (sgl-project/sglang issue 34719).

import { causalFormats } from '../prm/causal-formats.ts';

export interface Shared {
  /** Dialects of the engine's servers, joined by `+`. */
  readonly dialect: string;
  readonly engines: readonly string[];
  readonly verifiers: readonly string[];
  readonly kind: string;
}

export function sharedServerWarning({ dialect, engines, verifiers, kind }: Shared): string | undefined {
  const hosts = new Set(engines.map((url) => new URL(url).host));
  const isShared = verifiers.some((url) => hosts.has(new URL(url).host));
  if (!isShared || !(kind in causalFormats) || !dialect.split('+').includes('sglang')) return undefined;
  return 'one SGLang as generator and as reward model dies of a score beside a generation (sgl-project/sglang issue 34719): start a server for each';
}
