// A server's own count of the tokens it generated, from its metrics page: what a client counts would take every answer for a whole one.

import type { Connection } from '@coppice/core/remote';

/** How often the count is read while work goes on. */
const sampleMs = 250;

/** Tokens generated since the server started, of all its engines; undefined where it does not say. */
export function generatedOn(page: string): number | undefined {
  const counts = [...page.matchAll(/^(?:vllm|sglang):generation_tokens_total(?:\{[^}]*\})? (\S+)/gm)];
  return counts.length === 0 ? undefined : counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** The count over time, from the moment this is made until `end`. */
export class ServerCount {
  readonly #connection: Connection;
  readonly #samples: { readonly atMs: number; readonly tokens: number }[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#timer = setInterval(() => void this.#sample(), sampleMs);
    void this.#sample();
  }

  end(): void {
    clearInterval(this.#timer);
  }

  /** Between two moments, as near as they were counted. */
  tokensPerSecond({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }): number | undefined {
    const within = this.#samples.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
    const [first, last] = [within[0], within.at(-1)];
    if (first === undefined || last === undefined || first === last) return undefined;
    return ((last.tokens - first.tokens) / (last.atMs - first.atMs)) * 1000;
  }

  /** Seconds from the first token until a second at nine tenths of the rate of the last half of the time. */
  rampSeconds(): number | undefined {
    const begun = this.#samples.findLastIndex(({ tokens }) => tokens === this.#samples[0]?.tokens);
    const ran = this.#samples.slice(Math.max(0, begun));
    const [middle, last] = [ran[Math.floor(ran.length / 2)], ran.at(-1)];
    if (middle === undefined || last === undefined || last.tokens === middle.tokens) return undefined;
    const steady = (last.tokens - middle.tokens) / (last.atMs - middle.atMs);
    const perSecond = Math.round(1000 / sampleMs);
    const at = ran.findIndex((sample, index) => {
      const later = ran[index + perSecond];
      return later !== undefined && (later.tokens - sample.tokens) / (later.atMs - sample.atMs) >= 0.9 * steady;
    });
    return at < 0 ? undefined : (ran[at]!.atMs - ran[0]!.atMs) / 1000;
  }

  async #sample(): Promise<void> {
    const reply = await this.#connection.call('GET', '/metrics').catch(() => undefined);
    const tokens = generatedOn(reply?.body ?? '');
    if (tokens !== undefined) this.#samples.push({ atMs: performance.now(), tokens });
  }
}
