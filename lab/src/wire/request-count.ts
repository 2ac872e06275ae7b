// Counts the requests of this process to a generator and to a reward model, whichever client sends them: node:http reports each.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';

const channel = 'http.client.request.start';
/** Requests that generate nothing. */
const beside = /\/(tokenize|apply-template|abort_request)$/;

export class RequestCount {
  generations = 0;
  scores = 0;
  readonly #engines: ReadonlySet<string>;
  readonly #verifiers: ReadonlySet<string>;

  /** Addresses of servers; one that is both counts as a generator. */
  constructor(engines: readonly string[], verifiers: readonly string[]) {
    this.#engines = new Set(engines.map(hostOf));
    this.#verifiers = new Set(verifiers.map(hostOf));
    subscribe(channel, this.#count);
  }

  end(): void {
    unsubscribe(channel, this.#count);
  }

  readonly #count = (message: unknown): void => {
    const { request } = message as { readonly request: ClientRequest };
    if (request.method !== 'POST' || beside.test(request.path)) return;
    const host = String(request.getHeader('host'));
    if (this.#engines.has(host)) this.generations += 1;
    else if (this.#verifiers.has(host)) this.scores += 1;
  };
}

function hostOf(url: string): string {
  return new URL(url).host;
}
