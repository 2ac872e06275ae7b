// The tokens that a call continues from: the root, rendered once per search by a server, then steps and turns. From the first step of a
// message without tokens on, its rest is tokenised as text; earlier tokens stay as the model wrote them, for the server's cache.

import type { NodeKey } from '../../tree/keys.ts';
import type { Message, Prompt } from '../../tree/step.ts';
import { type GenerateRequest, type PathStep, plainTurn } from '../engine.ts';
import { type Renderer, render, type Tokens, tokenize } from './dialect/render.ts';

interface KnownPrefix {
  readonly prompt: Prompt;
  root: Tokens | Promise<Tokens>;
  readonly pieces: Map<NodeKey, Tokens>;
}

interface PathMessage {
  readonly key: NodeKey;
  readonly turn?: string;
  readonly steps: readonly PathStep[];
}

export class Prefixes {
  readonly #known = new Map<string, KnownPrefix>();

  tokens(request: GenerateRequest, renderer: Renderer): Tokens | Promise<Tokens> {
    const known = this.#of(request, renderer);
    if (known.root instanceof Promise) return known.root.then((root) => below(root, request, known, renderer));
    return below(known.root, request, known, renderer);
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
    const known: KnownPrefix = { prompt, root, pieces: new Map() };
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
}

function below(
  root: Tokens,
  { path }: GenerateRequest,
  known: KnownPrefix,
  renderer: Renderer,
): Tokens | Promise<Tokens> {
  if (path.every(({ step }) => step.turn === undefined && step.tokenIds !== undefined))
    return writtenTokens(root, path);
  const messages = messagesOf(path);
  const found = messages.map((message) => tokensOf(message, known));
  if (found.every((tokens) => tokens !== undefined)) return joined(root, messages, found);
  return Promise.all(messages.map(async (message, at) => found[at] ?? (await asked(message, known, renderer)))).then(
    (tokens) => joined(root, messages, tokens),
  );
}

function messagesOf(path: readonly PathStep[]): PathMessage[] {
  const messages: PathMessage[] = [];
  let steps: PathStep[] = [];
  const close = () => {
    const last = steps.at(-1);
    if (last !== undefined) messages.push({ key: last.key, steps });
    steps = [];
  };
  for (const piece of path) {
    const { key, step } = piece;
    if (step.turn === undefined) {
      steps.push(piece);
      continue;
    }
    close();
    messages.push({ key, turn: step.turn, steps: [] });
  }
  close();
  return messages;
}

function tokensOf({ key, turn, steps }: PathMessage, known: KnownPrefix): Tokens | undefined {
  if (turn === undefined && steps.every(({ step }) => step.tokenIds !== undefined)) return writtenTokens([], steps);
  return known.pieces.get(key);
}

/** List by list: token by token, a long path costs more than its call. */
function writtenTokens(tokens: Tokens, steps: readonly PathStep[]): number[] {
  return tokens.concat(...steps.map(({ step }) => step.tokenIds!));
}

async function asked({ key, turn, steps }: PathMessage, known: KnownPrefix, renderer: Renderer): Promise<Tokens> {
  const tokens =
    turn === undefined ? await saidTokens(steps, renderer) : await turnTokens(turn, known.prompt, renderer);
  known.pieces.set(key, tokens);
  return tokens;
}

async function saidTokens(steps: readonly PathStep[], renderer: Renderer): Promise<Tokens> {
  const unknown = steps.findIndex(({ step }) => step.tokenIds === undefined);
  const written = steps.slice(0, unknown).flatMap(({ step }) => step.tokenIds!);
  const rest = steps.slice(unknown).map(({ step }) => step.text);
  return written.concat(await tokenize(rest.join(''), renderer));
}

const anyAnswers = ['x', 'y'] as const;

/** The common end of two conversations that differ in the answer before the turn, so that earlier tokens stay the model's own. */
async function turnTokens(turn: string, prompt: Prompt, renderer: Renderer): Promise<Tokens> {
  if (prompt.kind === 'text') return tokenize(plainTurn(turn), renderer);
  const rendered = anyAnswers.map((content) => {
    const messages: Message[] = [...prompt.messages, { role: 'assistant', content }, { role: 'user', content: turn }];
    return render({ ...prompt, messages }, renderer);
  });
  const [one, other] = await Promise.all(rendered);
  return commonEnd(one!, other!);
}

function commonEnd(one: Tokens, other: Tokens): Tokens {
  let length = 0;
  while (length < one.length && one.at(-1 - length) === other.at(-1 - length)) length += 1;
  return one.slice(one.length - length);
}

/** The turn begins with the token that may have ended the answer. */
function joined(root: Tokens, messages: readonly PathMessage[], pieces: readonly Tokens[]): Tokens {
  const tokens = [...root];
  messages.forEach(({ turn }, at) => {
    const piece = pieces[at]!;
    const before = messages[at - 1]?.steps.at(-1)?.step;
    const isEnded = turn !== undefined && before?.end === 'eos' && tokens.at(-1) === piece[0];
    for (const token of isEnded ? piece.slice(1) : piece) tokens.push(token);
  });
  return tokens;
}
