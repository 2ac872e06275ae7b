// The tokens that a call continues from: the root, rendered once per search by a server with the model's own template,
// and the steps of the path. A path with a step that has no tokens is tokenised as text, whole: tokens and text are never
// mixed within it.

import { FaultError, fault } from '../../base/fault.ts';
import type { NodeId } from '../../tree/events.ts';
import type { Prompt } from '../../tree/step.ts';
import type { GenerateRequest } from '../engine.ts';
import type { Connection } from './connection.ts';
import type { Dialect, ServerFacts, WireRequest } from './dialect.ts';
import { isRecord, numbers } from './wire-values.ts';

type Tokens = readonly number[];

interface Known {
  readonly prompt: Prompt;
  root: Tokens | Promise<Tokens>;
  /** Paths that had to be tokenised as text, by their last node. */
  readonly paths: Map<NodeId, Tokens>;
}

export interface Renderer {
  readonly connection: Connection;
  readonly dialect: Dialect;
  readonly facts: ServerFacts;
}

export class Prefixes {
  readonly #known = new Map<string, Known>();

  /** The tokens at once where they are known, or a promise that may fail with a fault. */
  tokens(request: GenerateRequest, renderer: Renderer): Tokens | Promise<Tokens> {
    const known = this.#of(request, renderer);
    if (known.root instanceof Promise) return known.root.then((root) => this.#below(root, request, known, renderer));
    return this.#below(known.root, request, known, renderer);
  }

  release(search: string): void {
    this.#known.delete(search);
  }

  #of(request: GenerateRequest, renderer: Renderer): Known {
    const { search, prompt } = request;
    const held = this.#known.get(search);
    if (held !== undefined && (held.prompt === prompt || JSON.stringify(held.prompt) === JSON.stringify(prompt)))
      return held;
    const root = render(prompt, renderer);
    const known: Known = { prompt, root, paths: new Map() };
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

  #below(root: Tokens, request: GenerateRequest, known: Known, renderer: Renderer): Tokens | Promise<Tokens> {
    const { path, parent } = request;
    if (path.every(({ step }) => step.tokenIds !== undefined)) {
      return root.concat(...path.map(({ step }) => step.tokenIds!));
    }
    const held = known.paths.get(parent);
    if (held !== undefined) return held;
    const text = path.map(({ step }) => step.text).join('');
    return tokenize(text, renderer).then((tokens) => {
      const whole = root.concat(tokens);
      known.paths.set(parent, whole);
      return whole;
    });
  }
}

async function render(prompt: Prompt, renderer: Renderer): Promise<Tokens> {
  const { connection, dialect, facts } = renderer;
  let answer: unknown;
  for (const next of dialect.render!(prompt, facts)) answer = await post(connection, next(answer));
  const tokens = tokensOf(answer, connection);
  // A template that writes the first token and a tokenizer that adds it: one of the two is enough.
  return tokens.length > 1 && tokens[0] === tokens[1] && prompt.kind === 'chat' ? tokens.slice(1) : tokens;
}

async function tokenize(text: string, { connection, dialect, facts }: Renderer): Promise<Tokens> {
  return tokensOf(await post(connection, dialect.tokenize!(text, facts)), connection);
}

function post(connection: Connection, { path, body }: WireRequest): Promise<unknown> {
  return connection.json('POST', path, body);
}

function tokensOf(answer: unknown, connection: Connection): number[] {
  const tokens = isRecord(answer) ? numbers(answer.tokens) : [];
  if (tokens.length > 0) return tokens;
  throw new FaultError(fault('protocol', `${connection.url}/tokenize gave no tokens`));
}
