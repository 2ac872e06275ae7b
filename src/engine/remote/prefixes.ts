// The tokens that a call continues from: the root, rendered once per search by a server with the model's own template,
// and the steps of the path. From the first step on that has no tokens (words that were put there, an engine that gives none) the rest
// is tokenised as text; what the model wrote before stays as it wrote it, so that a server finds it in its cache.

import type { NodeId } from '../../tree/events.ts';
import type { Prompt } from '../../tree/step.ts';
import type { GenerateRequest } from '../engine.ts';
import { type Renderer, render, type Tokens, tokenize } from './dialect/render.ts';

interface KnownPrefix {
  readonly prompt: Prompt;
  root: Tokens | Promise<Tokens>;
  /** Paths that had to be tokenised as text, by their last node. */
  readonly paths: Map<NodeId, Tokens>;
}

export class Prefixes {
  readonly #known = new Map<string, KnownPrefix>();

  /** The tokens at once where they are known, or a promise that may fail with a fault. */
  tokens(request: GenerateRequest, renderer: Renderer): Tokens | Promise<Tokens> {
    const known = this.#of(request, renderer);
    if (known.root instanceof Promise) return known.root.then((root) => this.#below(root, request, known, renderer));
    return this.#below(known.root, request, known, renderer);
  }

  release(search: string): void {
    this.#known.delete(search);
  }

  #of(request: GenerateRequest, renderer: Renderer): KnownPrefix {
    const { search, prompt } = request;
    const held = this.#known.get(search);
    if (held !== undefined && (held.prompt === prompt || JSON.stringify(held.prompt) === JSON.stringify(prompt)))
      return held;
    const root = render(prompt, renderer);
    const known: KnownPrefix = { prompt, root, paths: new Map() };
    root.then(
      (tokens) => {
        known.root = tokens;
      },
      () => {
        if (this.#known.get(search) === known) this.#known.delete(search);
      },
    );
    this.#known.set(search, known);
    return known;
  }

  #below(root: Tokens, request: GenerateRequest, known: KnownPrefix, renderer: Renderer): Tokens | Promise<Tokens> {
    const { path, parent } = request;
    const unknown = path.findIndex(({ step }) => step.tokenIds === undefined);
    const written = root.concat(...path.slice(0, unknown < 0 ? undefined : unknown).map(({ step }) => step.tokenIds!));
    if (unknown < 0) return written;
    const held = known.paths.get(parent);
    if (held !== undefined) return held;
    const rest = path.slice(unknown).map(({ step }) => step.text);
    return tokenize(rest.join(''), renderer).then((tokens) => {
      const whole = written.concat(tokens);
      known.paths.set(parent, whole);
      return whole;
    });
  }
}
