// llm-d's own stand-in for vLLM (llm-d/llm-d-inference-sim, August 2026: docs/http-endpoints.md, pkg/api, pkg/communication): its models are owned by vllm, and
// it has /metrics, /tokenize and /v1/completions with token ids and `n`. It knows no `stop`, no seed, no `return_token_ids` and no page /version; it gives
// log probabilities where more than 0 of them are wanted; the finish reason comes in a chunk of its own.

import { cutTokens, type Token } from './model.ts';
import { type EventStream, type Mischief, TestServer } from './server.ts';

interface Choice {
  readonly index: number;
  readonly tokens: readonly Token[];
  readonly finish: 'stop' | 'length';
}

const types: Readonly<Record<number, string>> = { 400: 'BadRequestError', 404: 'NotFoundError', 429: 'RateLimitError' };

export class LlmdSimulator extends TestServer {
  protected errorBody(status: number, message: string): unknown {
    return { error: { message, type: types[status] ?? 'InternalServerError', param: null, code: status } };
  }

  protected route(endpoint: string, body: Record<string, unknown>, open: () => EventStream): Promise<unknown> {
    const { model: id, contextTokens: max_model_len } = this;
    switch (endpoint) {
      case 'GET /v1/models': {
        const model = { id, object: 'model', created: 1, owned_by: 'vllm', root: id, parent: null, max_model_len };
        return Promise.resolve({ object: 'list', data: [model] });
      }
      case 'GET /metrics':
        return Promise.resolve(
          `vllm:num_requests_running{model_name="${id}"} ${this.generating}\nvllm:num_requests_waiting{model_name="${id}"} 0\n`,
        );
      case 'POST /tokenize':
        return Promise.resolve(this.#tokenize(body));
      case 'POST /v1/completions':
        return this.#complete(body, open);
      default:
        return this.refuse(404, 'Not Found');
    }
  }

  #tokenize({ prompt, messages }: Record<string, unknown>): unknown {
    const chat = (messages ?? []) as readonly { readonly role: string; readonly content: string }[];
    const text =
      typeof prompt === 'string' ? prompt : chat.map(({ role, content }) => `### ${role}: ${content}\n`).join('');
    const tokens = this.vocabulary.encode(text, false);
    return { max_model_len: this.contextTokens, count: tokens.length, tokens, token_strs: null };
  }

  async #complete(body: Record<string, unknown>, open: () => EventStream): Promise<unknown> {
    const mischief = this.begin();
    const prompt =
      typeof body.prompt === 'string' ? this.vocabulary.encode(body.prompt, false) : (body.prompt as number[]);
    const most = Number(body.max_tokens ?? 16);
    const all = prompt.length + most;
    if (all > this.contextTokens)
      this.refuse(
        400,
        `This model's maximum context length is ${this.contextTokens} tokens. However, you requested ${all}`,
      );
    const choices = Array.from({ length: Number(body.n ?? 1) }, (_, at) => this.#draw(prompt, at, most, mischief));
    const written = choices.reduce((sum, { tokens }) => sum + tokens.length, 0);
    const usage = { prompt_tokens: prompt.length, completion_tokens: written, total_tokens: prompt.length + written };
    const head = { id: 'cmpl-1', object: 'text_completion', created: 1, model: this.model };
    if (body.stream !== true)
      return {
        ...head,
        usage: { ...usage, prompt_tokens_details: null },
        choices: choices.map((each) => choiceOf(body, each)),
      };
    const stream = open();
    const ended = await Promise.all(choices.map((each) => this.#write(body, stream, head, each, mischief)));
    if (!ended.every(Boolean)) return undefined;
    await stream.event({ ...head, usage, choices: [] });
    await stream.raw('data: [DONE]\n\n');
    return undefined;
  }

  /** Without a seed: each draw is another. */
  #draw(prompt: readonly number[], index: number, most: number, mischief: Mischief): Choice {
    const { tokens, ending } = cutTokens(this.draw(prompt, this.seen.length * 1000 + index, 1, mischief), [], most);
    return { index, tokens, finish: ending.type === 'length' ? 'length' : 'stop' };
  }

  async #write(body: object, stream: EventStream, head: object, choice: Choice, mischief: Mischief): Promise<boolean> {
    const { index, tokens, finish } = choice;
    const whole = await this.writeTokens(stream, tokens, mischief, (token) => {
      const said = { ...choiceOf(body, { ...choice, tokens: [token] }), finish_reason: null };
      return stream.event({ ...head, usage: null, choices: [said] });
    });
    if (whole) await stream.event({ ...head, usage: null, choices: [{ index, finish_reason: finish, text: '' }] });
    return whole;
  }
}

function choiceOf(body: { readonly logprobs?: unknown }, { index, tokens, finish }: Choice): object {
  const said = { index, finish_reason: finish, text: tokens.map(({ text }) => text).join('') };
  if (!(Number(body.logprobs) > 0)) return said;
  const logprobs = {
    tokens: tokens.map(({ text }) => text),
    token_logprobs: tokens.map(({ logprob }) => logprob),
    top_logprobs: tokens.map(({ text, logprob }) => ({ [text]: logprob })),
    text_offset: tokens.map((_, at) => at),
  };
  return { ...said, logprobs };
}
