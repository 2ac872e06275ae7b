// A server that speaks SGLang's native protocol: /generate with cumulative (or incremental) streams and `matched` as a
// string or a number, /abort_request by prefix of the rid, /tokenize, /server_info, and /v1/score for causal reward models.
// A client that merely leaves is noticed late, as with the real one: only the abort stops the work at once. What a stream
// refuses, it says in an event. A score beside a generation kills it, as 0.5.16 was seen to die (its issue 34719).

import { cutTokens, endOfText, type Token } from './model.ts';
import { type EventStream, type ServerSettings, TestServer } from './server.ts';
import { renderChat } from './vllm-server.ts';

export interface SglangSettings extends ServerSettings {
  /** --incremental-streaming-output */
  readonly incremental?: boolean;
  readonly priorities?: 'off' | 'higher-first' | 'lower-first';
  readonly deterministic?: boolean;
  readonly runningLimit?: number;
}

/** What 0.5.23 takes; it refuses any other name. */
const samplingFields = new Set(
  (
    'max_new_tokens stop stop_token_ids stop_regex temperature top_p top_k min_p frequency_penalty presence_penalty ' +
    'repetition_penalty min_new_tokens n json_schema regex ebnf structural_tag ignore_eos skip_special_tokens ' +
    'spaces_between_special_tokens no_stop_trim stream_interval logit_bias sampling_seed custom_params beam_width'
  ).split(' '),
);

export class SglangServer extends TestServer {
  readonly aborted: string[] = [];
  reward: (text: string) => number = (text) => (text.length % 10) / 10;
  readonly #settings: SglangSettings;
  readonly #running = new Set<string>();
  readonly #counted = { prompt: 0, cached: 0 };
  #known: readonly number[][] = [];

  constructor(settings: SglangSettings = {}) {
    super(settings);
    this.#settings = settings;
  }

  protected errorBody(status: number, message: string): unknown {
    return { error: { message, code: status } };
  }

  protected route(endpoint: string, body: Record<string, unknown>, open: () => EventStream): Promise<unknown> {
    switch (endpoint) {
      case 'GET /health':
        return Promise.resolve('');
      case 'GET /v1/models':
        return Promise.resolve({
          object: 'list',
          data: [
            {
              id: this.model,
              object: 'model',
              owned_by: 'sglang',
              root: this.model,
              max_model_len: this.contextTokens,
            },
          ],
        });
      case 'GET /server_info':
        return Promise.resolve(this.#info());
      case 'GET /metrics':
        return Promise.resolve(this.#metrics());
      case 'GET /v1/loads':
        return Promise.resolve({ loads: [{ num_running_reqs: this.#running.size, num_waiting_reqs: 0 }] });
      case 'POST /tokenize':
        return Promise.resolve(this.#tokenize(body));
      case 'POST /generate':
        return this.#generate(body, open);
      case 'POST /abort_request':
        this.aborted.push(String(body.rid));
        for (const rid of this.#running) if (rid.startsWith(String(body.rid))) this.#running.delete(rid);
        return Promise.resolve('');
      case 'POST /v1/score':
        return Promise.resolve(this.#score(body));
      default:
        return this.refuse(404, 'Not Found');
    }
  }

  #info(): unknown {
    const { priorities = 'off', deterministic = false, runningLimit = 64 } = this.#settings;
    return {
      version: '0.5.18',
      max_running_requests: runningLimit,
      enable_priority_scheduling: priorities !== 'off',
      schedule_low_priority_values_first: priorities === 'lower-first',
      enable_deterministic_inference: deterministic,
      disable_radix_cache: false,
      context_length: this.contextTokens,
    };
  }

  /** With --enable-metrics; its gauges are left out, since they are late by dozens of decode steps. */
  #metrics(): string {
    const { prompt, cached } = this.#counted;
    return [
      `sglang:generation_tokens_total{model_name="${this.model}"} ${this.tokensWritten}.0`,
      `sglang:prompt_tokens_total{model_name="${this.model}"} ${prompt}.0`,
      `sglang:cached_tokens_total{model_name="${this.model}",cache_source="device"} ${cached}.0`,
      '',
    ].join('\n');
  }

  #tokenize(body: Record<string, unknown>): unknown {
    const { messages, prompt, continue_final_message: open } = body;
    const tokens = Array.isArray(messages)
      ? this.vocabulary.encode(renderChat(messages, open === true) + this.turn(body, open === true), false)
      : this.vocabulary.encode(String(prompt), body.add_special_tokens !== false);
    return { tokens, count: tokens.length, max_model_len: 1_000_000 };
  }

  async #generate(body: Record<string, unknown>, open: () => EventStream): Promise<unknown> {
    const mischief = this.begin();
    const ids = body.input_ids as number[];
    const params = body.sampling_params as Record<string, unknown>;
    const unknown = Object.keys(params).find((name) => !samplingFields.has(name));
    if (unknown !== undefined) this.refuse(400, `unknown field \`${unknown}\``);
    const maxTokens = Number(params.max_new_tokens ?? 128);
    if (ids.length + 1 > this.contextTokens) {
      return this.#decline(
        `The input (${ids.length} tokens) is longer than the model's context length (${this.contextTokens} tokens).`,
        body,
        open,
      );
    }
    const rid = String(body.rid);
    this.#running.add(rid);
    // Without the deterministic mode the seed is not looked at.
    const seed = this.#settings.deterministic === true ? Number(params.sampling_seed ?? 42) : this.seen.length;
    const drawn =
      typeof params.json_schema === 'string'
        ? this.drawShape(JSON.parse(params.json_schema), seed)
        : this.draw(ids, seed, Number(params.temperature ?? 1), mischief);
    const { tokens, ending } = cutTokens(drawn, (params.stop as string[] | undefined) ?? [], maxTokens);
    const finish =
      ending.type === 'stop'
        ? { type: 'stop', matched: ending.matched }
        : ending.type === 'eos'
          ? { type: 'stop', matched: endOfText }
          : { type: 'length', length: tokens.length };
    const cached = this.#reuse(ids);
    this.#counted.prompt += ids.length;
    this.#counted.cached += cached;
    const stream = open();
    // Closing the connection is noticed late; what ends the work is the abort.
    const running = this.#running;
    const watched: EventStream = {
      get gone() {
        return !running.has(rid);
      },
      event: (data) => stream.event(data),
      raw: (text) => stream.raw(text),
      cut: () => stream.cut(),
    };
    const written: Token[] = [];
    const complete = await this.writeTokens(watched, tokens, mischief, async (token, at) => {
      written.push(token);
      if (body.stream !== true) return;
      await watched.event(this.#event(written, at === tokens.length - 1 ? finish : null, ids.length, cached, body));
    });
    this.#running.delete(rid);
    if (complete) this.#known = [...this.#known, [...ids, ...tokens.map((each) => each.id)]];
    if (complete && body.stream !== true) return this.#event(written, finish, ids.length, cached, body);
    if (complete && mischief.type !== 'no-done') await watched.raw('data: [DONE]\n\n');
    return undefined;
  }

  async #decline(message: string, body: Record<string, unknown>, open: () => EventStream): Promise<unknown> {
    if (body.stream !== true) this.refuse(400, message);
    const stream = open();
    await stream.event({ error: { message, type: 'invalid_request_error', code: 400, retryable: false } });
    await stream.raw('data: [DONE]\n\n');
    return undefined;
  }

  #event(
    written: readonly Token[],
    finish: unknown,
    promptTokens: number,
    cached: number,
    body: Record<string, unknown>,
  ): unknown {
    const params = body.sampling_params as Record<string, unknown>;
    const shown = this.#settings.incremental === true ? written.slice(-1) : written;
    const all = shown.map((each) => (each.id === endOfText ? '' : each.text)).join('');
    const stop = finish as { type?: string; matched?: unknown } | null;
    const trim = stop?.type === 'stop' && typeof stop.matched === 'string' && params.no_stop_trim !== true;
    return {
      text: trim ? all.slice(0, all.indexOf(String(stop.matched))) : all,
      output_ids: shown.map((each) => each.id),
      meta_info: {
        id: 'x',
        finish_reason: finish,
        prompt_tokens: promptTokens,
        completion_tokens: written.length,
        cached_tokens: cached,
        output_token_logprobs: shown.map((each) => [
          each.logprob,
          each.id,
          body.return_text_in_logprobs === true ? each.text : null,
        ]),
        ...this.#named(body),
      },
    };
  }

  /** The verdicts of a reward model as the next token, where they are asked for by id. */
  #named(body: Record<string, unknown>): object {
    const { token_ids_logprob: labels, input_ids: ids } = body as { token_ids_logprob?: number[]; input_ids: number[] };
    if (labels === undefined) return {};
    const good = this.reward(this.vocabulary.decode(ids));
    return { output_token_ids_logprobs: [labels.map((id, at) => [Math.log(at === 0 ? good : 1 - good), id, null])] };
  }

  #reuse(ids: readonly number[]): number {
    const common = (known: readonly number[]): number => {
      let at = 0;
      while (at < ids.length - 1 && at < known.length && known[at] === ids[at]) at += 1;
      return at;
    };
    return Math.max(0, ...this.#known.map(common));
  }

  #score(body: Record<string, unknown>): unknown {
    this.begin();
    if (this.#running.size > 0) void this.close();
    const { query, items } = body as { query: number[]; items: number[][] };
    const prompts = items.reduce((sum, item) => sum + query.length + item.length, 0);
    const scores = items.map((item) => {
      const good = this.reward(this.vocabulary.decode([...query, ...item]));
      return [good, 1 - good];
    });
    return { scores, object: 'scoring', usage: { prompt_tokens: prompts, total_tokens: prompts } };
  }
}
