// A server that speaks llama-server's native protocol: /completion without [DONE], stop_type, stop words left out of the
// text, comments as pings, a fixed number of slots that each hold one sequence, n_cmpl up to that number, and waiting
// without limit beyond it.

import { cutTokens } from './model.ts';
import { type EventStream, type Mischief, TestServer } from './server.ts';
import { pieces, renderChat } from './vllm-server.ts';

export class LlamaTestServer extends TestServer {
  /** P(+) after a text, for causal reward models read through n_probs. */
  reward: (text: string) => number = (text) => (text.length % 10) / 10;
  #free = this.slots;
  readonly #deferred: (() => void)[] = [];
  #held: readonly number[][] = [];

  protected errorBody(status: number, message: string): unknown {
    return { error: { code: status, message, type: status === 400 ? 'invalid_request_error' : 'server_error' } };
  }

  protected route(endpoint: string, body: Record<string, unknown>, open: () => EventStream): Promise<unknown> {
    switch (endpoint) {
      case 'GET /health':
        return Promise.resolve({ status: 'ok' });
      case 'GET /v1/models':
        return Promise.resolve({ object: 'list', data: [{ id: this.model, object: 'model', owned_by: 'llamacpp' }] });
      case 'GET /props':
        return Promise.resolve({
          total_slots: this.slots,
          default_generation_settings: { n_ctx: this.contextTokens },
          build_info: 'b10586-test',
        });
      case 'POST /apply-template':
        return Promise.resolve({
          prompt:
            renderChat(body.messages as [], body.continue_final_message === true).replace('<s>', '') +
            this.turn(body, body.continue_final_message === true),
        });
      case 'POST /tokenize':
        return Promise.resolve({ tokens: this.vocabulary.encode(String(body.content), body.add_special === true) });
      case 'POST /completion':
        return this.#complete(body, open);
      default:
        return this.refuse(404, 'File Not Found');
    }
  }

  async #complete(body: Record<string, unknown>, open: () => EventStream): Promise<unknown> {
    const mischief = this.begin();
    const prompt = body.prompt as number[];
    const siblings = Number(body.n_cmpl ?? 1);
    if (siblings > this.slots) {
      this.refuse(400, `Field 'n_cmpl': Value must be between 1 <= value <= ${this.slots}, but got ${siblings}`);
    }
    if (prompt.length >= this.contextTokens) {
      this.refuse(
        400,
        `request (${prompt.length} tokens) exceeds the available context size (${this.contextTokens} tokens)`,
      );
    }
    if (body.stream !== true) return this.#probabilities(prompt, body);
    await this.#take(siblings);
    try {
      const stream = open();
      await stream.raw(':\n\n');
      await Promise.all(
        Array.from({ length: siblings }, (_, index) => this.#sequence(body, prompt, index, stream, mischief)),
      );
    } finally {
      this.#give(siblings);
    }
    return undefined;
  }

  async #sequence(
    body: Record<string, unknown>,
    prompt: readonly number[],
    index: number,
    stream: EventStream,
    mischief: Mischief,
  ): Promise<void> {
    const seed = Number(body.seed) + index;
    const drawn = body.json_schema
      ? this.drawShape(body.json_schema, seed)
      : this.draw(prompt, seed, Number(body.temperature), mischief);
    const { tokens, ending } = cutTokens(drawn, (body.stop as string[] | undefined) ?? [], Number(body.n_predict));
    const texts = pieces(tokens, ending, false);
    const reused = this.#reuse(prompt);
    const complete = await this.writeTokens(stream, tokens, mischief, (token, at) =>
      stream.event({
        index,
        content: texts[at],
        tokens: [token.id],
        stop: false,
        id_slot: -1,
        tokens_predicted: at + 1,
        tokens_evaluated: prompt.length,
        completion_probabilities: [{ id: token.id, token: token.text, logprob: token.logprob, top_logprobs: [token] }],
      }),
    );
    if (!complete) return;
    this.#held = [...this.#held.slice(1 - this.slots), [...prompt, ...tokens.map((each) => each.id)]];
    await stream.event({
      index,
      content: '',
      tokens: [],
      stop: true,
      stop_type: ending.type === 'stop' ? 'word' : ending.type === 'eos' ? 'eos' : 'limit',
      stopping_word: ending.type === 'stop' ? ending.matched : '',
      tokens_predicted: tokens.length,
      tokens_evaluated: prompt.length,
      tokens_cached: prompt.length + tokens.length,
      timings: { cache_n: reused, prompt_n: prompt.length - reused, predicted_n: tokens.length },
    });
  }

  #probabilities(prompt: readonly number[], body: Record<string, unknown>): unknown {
    const good = this.reward(this.vocabulary.decode(prompt));
    const plus = this.vocabulary.id('+');
    const minus = this.vocabulary.id('-');
    const top = [
      { id: plus, token: '+', logprob: Math.log(good) },
      { id: minus, token: '-', logprob: Math.log(1 - good) },
    ].filter((each) => Number.isFinite(each.logprob));
    return {
      content: '+',
      tokens: [plus],
      stop: true,
      stop_type: 'limit',
      tokens_evaluated: prompt.length,
      tokens_predicted: 1,
      timings: { cache_n: 0, prompt_n: prompt.length },
      ...(Number(body.n_probs) > 0
        ? { completion_probabilities: [{ id: plus, token: '+', logprob: 0, top_logprobs: top }] }
        : {}),
    };
  }

  async #take(count: number): Promise<void> {
    while (this.#free < count) await new Promise<void>((resolve) => this.#deferred.push(resolve));
    this.#free -= count;
  }

  #give(count: number): void {
    this.#free += count;
    for (const wake of this.#deferred.splice(0)) wake();
  }

  #reuse(prompt: readonly number[]): number {
    const common = (held: readonly number[]): number => {
      let at = 0;
      while (at < prompt.length - 1 && at < held.length && held[at] === prompt[at]) at += 1;
      return at;
    };
    return Math.max(0, ...this.#held.map(common));
  }
}
