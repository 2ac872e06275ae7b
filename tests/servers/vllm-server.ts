// A server that speaks vLLM's protocol: /v1/completions with token ids, stop_reason as string, null or number, usage in a
// last chunk (over all siblings of a request), siblings with seeds that count on, prefix reuse in blocks of 16 tokens, /tokenize with messages, and a reward model's /pooling and
// /generative_scoring. Refuses what vLLM refuses and ignores fields that it does not know.

import { cutTokens, endOfText, type Token } from './model.ts';
import { type EventStream, type Mischief, type ServerSettings, TestServer } from './server.ts';

export interface VllmSettings extends ServerSettings {
  /** --enable-prompt-tokens-details */
  readonly tokenDetails?: boolean;
  readonly prefixCaching?: boolean;
  readonly version?: string;
  /** Fields that it answers with 400, as some front ends do. */
  readonly refuses?: readonly ('n' | 'logprobs')[];
  /** --data-parallel-size: engines behind its one address. */
  readonly ranks?: number;
  /** What its weights were loaded from, where that is not the name of the model. */
  readonly loadedFrom?: string;
  /** Gives one choice, whatever `n` says. */
  readonly ignoresSiblings?: boolean;
}

/** One sequence of a request. */
interface Sibling {
  readonly index: number;
  readonly tokens: readonly Token[];
  /** The text of each token. */
  readonly texts: readonly string[];
  readonly last: Record<string, unknown>;
}

/** `written`: turns that the conversation holds already. */
export interface AskedTurn {
  readonly messages: readonly Record<string, unknown>[];
  readonly body: Record<string, unknown>;
  readonly seed: number;
  readonly written: number;
}

export interface DrawnTurn {
  readonly content?: string;
  readonly reasoning?: string;
  /** Arguments as the model wrote them, or a value that is written as JSON. */
  readonly calls?: readonly { readonly name: string; readonly arguments: unknown }[];
  readonly finish?: string;
}

const blockTokens = 16;
/** A second end-of-sequence id, as Qwen and Llama 3 have: reported as a number. */
const otherEnd = 151_643;

export class VllmServer extends TestServer {
  /** P(+) for a scored text; tests replace it. */
  reward: (text: string) => number = (text) => (text.length % 10) / 10;
  /** What /pooling answers instead of one pair per step tag, for tests of bad reward models. */
  poolingPairs: ((tags: number) => unknown[]) | undefined;
  readonly #tokenDetails: boolean;
  readonly #prefixCaching: boolean;
  readonly #blocks = new Map<string, number>();
  readonly #settings: VllmSettings;
  /** What its gauge of running requests says, where a test wants another figure than the true one. */
  generatingShown: number | undefined;
  preemptions = 0;
  kvUse = 0.1;
  /** What its chat endpoint writes, calls already parsed; without it the server has no parser of tool calls. */
  drawTurn: ((asked: AskedTurn) => DrawnTurn) | undefined;

  constructor(settings: VllmSettings = {}) {
    super(settings);
    this.#settings = settings;
    this.#tokenDetails = settings.tokenDetails ?? true;
    this.#prefixCaching = settings.prefixCaching ?? true;
  }

  protected errorBody(status: number, message: string): unknown {
    return {
      error: { message, type: status === 404 ? 'NotFoundError' : 'BadRequestError', param: null, code: status },
    };
  }

  protected route(endpoint: string, body: Record<string, unknown>, open: () => EventStream): Promise<unknown> {
    switch (endpoint) {
      case 'GET /health':
        return Promise.resolve('');
      case 'GET /version':
        return Promise.resolve({ version: this.#settings.version ?? '0.28.0' });
      case 'GET /v1/models':
        return Promise.resolve({
          object: 'list',
          data: [
            {
              id: this.model,
              object: 'model',
              owned_by: 'vllm',
              root: this.#settings.loadedFrom ?? this.model,
              max_model_len: this.contextTokens,
            },
          ],
        });
      case 'GET /metrics':
        return Promise.resolve(this.#metrics());
      case 'POST /tokenize':
        return Promise.resolve(this.#tokenize(body));
      case 'POST /v1/completions':
        return this.#complete(body, open);
      case 'POST /v1/chat/completions':
        return this.#chat(body, open);
      case 'POST /pooling':
        return Promise.resolve(this.#pooling(body));
      case 'POST /generative_scoring':
        return Promise.resolve(this.#generativeScoring(body));
      default:
        return this.refuse(404, 'Not Found');
    }
  }

  #metrics(): string {
    const others = Array.from({ length: (this.#settings.ranks ?? 1) - 1 }, (_, at) => [
      `vllm:num_requests_running{model_name="${this.model}",engine="${at + 1}"} 0.0`,
      `vllm:kv_cache_usage_perc{engine="${at + 1}"} ${this.kvUse}`,
    ]);
    return [
      ...others.flat(),
      `vllm:num_requests_running{model_name="${this.model}",engine="0"} ${this.generatingShown ?? this.generating}.0`,
      `vllm:num_requests_waiting{engine="0"} ${this.waiting}.0`,
      `vllm:num_preemptions_total{engine="0"} ${this.preemptions}.0`,
      `vllm:kv_cache_usage_perc{engine="0"} ${this.kvUse}`,
      'vllm:request_queue_time_seconds_sum{engine="0"} 1.5',
      'vllm:request_inference_time_seconds_sum{engine="0"} 60.0',
      `vllm:cache_config_info{block_size="16",enable_prefix_caching="${this.#prefixCaching ? 'True' : 'False'}"} 1.0`,
      '',
    ].join('\n');
  }

  #tokenize(body: Record<string, unknown>): unknown {
    const { messages, prompt, add_generation_prompt: generate, continue_final_message: open } = body;
    if (generate === true && open === true)
      this.refuse(400, 'Cannot set both add_generation_prompt and continue_final_message');
    const tokens = Array.isArray(messages)
      ? this.vocabulary.encode(renderChat(messages, open === true) + this.turn(body, open === true), false)
      : this.vocabulary.encode(String(prompt), body.add_special_tokens !== false);
    return { count: tokens.length, max_model_len: this.contextTokens, tokens };
  }

  async #complete(body: Record<string, unknown>, open: () => EventStream): Promise<unknown> {
    const mischief = this.begin();
    if (Array.isArray(body.logprob_token_ids)) return this.#verdicts(body, body.logprob_token_ids as number[]);
    const prompt = this.#promptIds(body);
    const maxTokens = typeof body.max_tokens === 'number' ? body.max_tokens : 16;
    this.#check(body, prompt, maxTokens);
    const stops = typeof body.stop === 'string' ? [body.stop] : ((body.stop as string[] | undefined) ?? []);
    const count = this.#settings.ignoresSiblings === true ? 1 : Number(body.n ?? 1);
    const seed = typeof body.seed === 'number' ? body.seed : this.seen.length * 1000;
    const siblings = Array.from({ length: count }, (_, at): Sibling => {
      const { json_schema: shape } = (body.response_format ?? {}) as { readonly json_schema?: { schema: unknown } };
      const drawn = shape
        ? this.drawShape(shape.schema, seed + at)
        : this.draw(prompt, seed + at, Number(body.temperature ?? 1), mischief);
      const { tokens, ending } = cutTokens(
        body.ignore_eos === true ? endless(drawn, maxTokens) : drawn,
        stops,
        maxTokens,
      );
      const finish = { finish_reason: ending.type === 'length' ? 'length' : 'stop' };
      const last = { ...finish, stop_reason: stopReason(ending, prompt) };
      return { index: at, tokens, texts: pieces(tokens, ending, body.include_stop_str_in_output === true), last };
    });
    const written = siblings.reduce((sum, { tokens }) => sum + tokens.length, 0);
    const cached = siblings.map(({ tokens }) => this.#reuse(prompt.concat(tokens.map(({ id }) => id)), prompt.length));
    const usage = {
      prompt_tokens: prompt.length,
      completion_tokens: written,
      total_tokens: prompt.length + written,
      prompt_tokens_details: this.#tokenDetails ? { cached_tokens: cached[0] } : null,
    };
    if (body.stream !== true) return this.#whole(body, siblings, usage, mischief, open);
    await this.#stream(body, open(), siblings, usage, mischief);
    return undefined;
  }

  async #chat(body: Record<string, unknown>, open: () => EventStream): Promise<unknown> {
    const { drawTurn } = this;
    const needsParser = Array.isArray(body.tools) && (body.tool_choice ?? 'auto') === 'auto';
    if (drawTurn === undefined && needsParser)
      this.refuse(400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set');
    if (drawTurn === undefined) return this.refuse(404, 'Not Found');
    this.begin();
    if (body.model !== this.model) this.refuse(404, `The model \`${body.model}\` does not exist.`);
    const messages = body.messages as Record<string, unknown>[];
    if (!messages.every(isKnownMessage)) this.refuse(400, 'a message that no template renders');
    const seed = typeof body.seed === 'number' ? body.seed : this.seen.length * 1000;
    const written = messages.filter(({ role }) => role === 'assistant').length;
    const drawn = Array.from({ length: Number(body.n ?? 1) }, (_, at) =>
      drawTurn({ messages, body, seed: seed + at, written }),
    );
    if (body.max_tokens !== 1) await this.pace(0);
    const choices = drawn.map((each, index) => chatChoice(each, index));
    const prompt_tokens = Math.ceil(JSON.stringify(messages).length / 4);
    const completion_tokens = drawn.reduce((sum, each) => sum + Math.ceil(JSON.stringify(each).length / 4), 0);
    const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
    const whole = { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: this.model, choices, usage };
    if (body.stream !== true) return whole;
    const stream = open();
    const [{ message, finish_reason } = { message: {}, finish_reason: null }] = choices;
    const chunk = (delta: unknown, finish: unknown) => ({
      ...whole,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: finish }],
      usage: undefined,
    });
    await stream.event(chunk(message, null));
    await stream.event(chunk({}, finish_reason));
    await stream.event({ ...whole, object: 'chat.completion.chunk', choices: [] });
    await stream.raw('data: [DONE]\n\n');
    return undefined;
  }

  /** One token per prompt, with the log probabilities of the tokens that were named. */
  #verdicts(body: Record<string, unknown>, [good, bad]: number[]): unknown {
    const prompts = body.prompt as (string | number[])[];
    const texts = prompts.map((each) => (typeof each === 'string' ? each : this.vocabulary.decode(each)));
    const choices = texts.map((text, index) => {
      const share = Math.min(1 - 1e-12, Math.max(1e-12, this.reward(text)));
      const top = { [`token_id:${good}`]: Math.log(share), [`token_id:${bad}`]: Math.log(1 - share) };
      const logprobs = { tokens: [`token_id:${good}`], token_logprobs: [Math.log(share)], top_logprobs: [top] };
      return { index, text: '+', logprobs, finish_reason: 'length', stop_reason: null };
    });
    const ids = texts.map((text) => this.vocabulary.encode(text, true));
    const tokens = ids.reduce((sum, each) => sum + each.length, 0);
    // As vLLM does: of the last prompt alone.
    const cached = ids.map((each) => this.#reuse(each, each.length)).at(-1);
    const details = { prompt_tokens_details: this.#tokenDetails ? { cached_tokens: cached } : null };
    return { id: 'cmpl-1', choices, usage: { prompt_tokens: tokens, total_tokens: tokens, ...details } };
  }

  /** At its own pace too, though nothing is seen before the end; a client that leaves is noticed. */
  async #whole(
    body: Record<string, unknown>,
    siblings: readonly Sibling[],
    usage: unknown,
    mischief: Mischief,
    open: () => EventStream,
  ): Promise<unknown> {
    // One token is the probe of what the server can do, which nothing troubles.
    const stream = body.max_tokens === 1 ? undefined : open();
    const ended =
      stream === undefined
        ? []
        : await Promise.all(siblings.map(({ tokens }) => this.writeTokens(stream, tokens, mischief, async () => {})));
    if (!ended.every(Boolean)) {
      stream?.cut();
      return undefined;
    }
    const choices = siblings.map((each) => this.#choice(body, each.index, each.tokens, each.texts.join(''), each.last));
    return { id: 'cmpl-1', object: 'text_completion', model: this.model, choices, usage };
  }

  async #stream(
    body: Record<string, unknown>,
    stream: EventStream,
    siblings: readonly Sibling[],
    usage: unknown,
    mischief: Mischief,
  ): Promise<void> {
    const one = async ({ index, tokens, texts, last }: Sibling): Promise<boolean> => {
      const interval = Number(body.stream_interval ?? 1);
      let sent = 0;
      return this.writeTokens(stream, tokens, mischief, async (_, at) => {
        const ends = at === tokens.length - 1;
        // The first token is sent at once, then every so many.
        if (!ends && at > 0 && at + 1 - sent < interval) return;
        const end = ends ? last : { finish_reason: null, stop_reason: null };
        const choice = this.#choice(body, index, tokens.slice(sent, at + 1), texts.slice(sent, at + 1).join(''), end);
        sent = at + 1;
        await stream.event({ id: 'cmpl-1', choices: [choice] });
      });
    };
    const complete = await Promise.all(siblings.map(one));
    if (!complete.every(Boolean)) return;
    const { include_usage: include } = (body.stream_options ?? {}) as Record<string, unknown>;
    if (include === true) await stream.event({ id: 'cmpl-1', choices: [], usage });
    if (mischief.type !== 'no-done') await stream.raw('data: [DONE]\n\n');
  }

  #choice(
    body: Record<string, unknown>,
    index: number,
    tokens: readonly Token[],
    text: string,
    end: Record<string, unknown>,
  ): unknown {
    return {
      index,
      text,
      logprobs:
        body.logprobs === undefined || body.logprobs === null
          ? null
          : {
              tokens: tokens.map((each) =>
                body.return_tokens_as_token_ids === true ? `token_id:${each.id}` : each.text,
              ),
              token_logprobs: tokens.map((each) => each.logprob),
              top_logprobs: tokens.map((each) => ({ [`token_id:${each.id}`]: each.logprob })),
            },
      ...end,
      ...(body.return_token_ids === true ? { token_ids: tokens.map((each) => each.id) } : {}),
    };
  }

  #promptIds(body: Record<string, unknown>): number[] {
    const { prompt } = body;
    if (Array.isArray(prompt) && prompt.every((each) => Number.isInteger(each))) return prompt as number[];
    if (typeof prompt === 'string') return this.vocabulary.encode(prompt, true);
    return this.refuse(400, 'prompt must be a string or an array of token ids');
  }

  #check(body: Record<string, unknown>, prompt: readonly number[], maxTokens: number): void {
    const { n = 1, temperature = 1, stop, stream, stream_options: streamOptions, model } = body;
    const { refuses = [] } = this.#settings;
    if (refuses.includes('n') && n !== 1) this.refuse(400, 'Only n=1 is supported.');
    if (refuses.includes('logprobs') && body.logprobs !== undefined) {
      this.refuse(400, `Requested sample logprobs of ${String(body.logprobs)}, which is not allowed.`);
    }
    if (model !== this.model) this.refuse(404, `The model \`${model}\` does not exist.`);
    if (Number(n) > 1 && temperature === 0) this.refuse(400, 'n must be 1 when using greedy sampling');
    if (Number(temperature) > 2) this.refuse(400, 'temperature must be in [0, 2]');
    if (Array.isArray(stop) && stop.length > 4) this.refuse(400, 'at most 4 stop strings are allowed');
    if (Array.isArray(stop) && stop.includes('')) this.refuse(400, 'stop cannot contain an empty string');
    if (streamOptions !== undefined && stream !== true) this.refuse(400, 'stream_options needs stream');
    if (prompt.length + maxTokens > this.contextTokens) {
      this.refuse(
        400,
        `This model's maximum context length is ${this.contextTokens} tokens. However, you requested ${maxTokens}`,
      );
    }
  }

  /** Tokens of the prompt that whole cached blocks cover; at least one is always computed. */
  #reuse(ids: readonly number[], promptTokens: number): number {
    let found = 0;
    let hits = true;
    // A block is known by the number of the one before it and its own tokens.
    let before = 0;
    for (let end = blockTokens; end <= ids.length; end += blockTokens) {
      const block = `${before}|${ids.slice(end - blockTokens, end).join(',')}`;
      const known = this.#blocks.get(block);
      hits = hits && known !== undefined && end < promptTokens;
      if (hits) found = end;
      before = known ?? this.#blocks.size + 1;
      if (this.#prefixCaching) this.#blocks.set(block, before);
      else if (known === undefined) break;
    }
    return found;
  }

  #pooling(body: Record<string, unknown>): unknown {
    const inputs = Array.isArray(body.input) ? (body.input as string[]) : [String(body.input)];
    this.begin();
    const data = inputs.map((input, index) => {
      const parts = input.split('<extra_0>').slice(0, -1);
      const pairs = parts.map((_, at) => {
        const good = this.reward(parts.slice(0, at + 1).join('<extra_0>'));
        return [1 - good, good];
      });
      return { index, object: 'pooling', data: this.poolingPairs?.(parts.length) ?? pairs };
    });
    const tokens = inputs.reduce((sum, input) => sum + this.vocabulary.encode(input, true).length, 0);
    return { id: 'pool-1', object: 'list', data, usage: { prompt_tokens: tokens, total_tokens: tokens } };
  }

  #generativeScoring(body: Record<string, unknown>): unknown {
    this.begin();
    const {
      query,
      items,
      label_token_ids: labels,
    } = body as { query: number[]; items: number[][]; label_token_ids: number[] };
    if (!Array.isArray(labels) || labels.length !== 2) this.refuse(400, 'label_token_ids must hold two ids');
    const data = items.map((item, index) => ({
      index,
      object: 'score',
      score: this.reward(this.vocabulary.decode([...query, ...item])),
    }));
    return { object: 'list', data, usage: { prompt_tokens: query.length, total_tokens: query.length } };
  }
}

function chatChoice({ content, reasoning, calls = [], finish }: DrawnTurn, index: number) {
  const tool_calls = calls.map((call, at) => {
    const given = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
    return { index: at, id: `chatcmpl-tool-${index}${at}`, type: 'function', function: { ...call, arguments: given } };
  });
  const message = { role: 'assistant', content: content ?? null, reasoning: reasoning ?? null, tool_calls };
  return { index, message, finish_reason: finish ?? (calls.length > 0 ? 'tool_calls' : 'stop') };
}

/** As a template and vLLM's own check of a request have them: results name their call, calls hold JSON. */
function isKnownMessage({ role, content, tool_call_id, tool_calls }: Record<string, unknown>): boolean {
  if (role === 'tool') return typeof tool_call_id === 'string' && content !== undefined;
  if (role !== 'assistant')
    return role === 'system' || role === 'developer' || (role === 'user' && content !== undefined);
  const calls = (tool_calls ?? []) as { readonly id: unknown; readonly function: { readonly arguments: string } }[];
  return calls.every(
    ({ id, function: called }) => typeof id === 'string' && JSON.parse(called.arguments) !== undefined,
  );
}

/** What a model writes whose end is ignored. */
function endless(tokens: readonly Token[], count: number): Token[] {
  const words = tokens.filter(({ id }) => id !== endOfText);
  return Array.from({ length: count }, (_, at) => words[at % words.length]!);
}

type Last = ReturnType<typeof cutTokens>['ending'];

function stopReason(ending: Last, prompt: readonly number[]): string | number | null {
  if (ending.type === 'stop') return ending.matched;
  return ending.type === 'eos' && prompt.length % 2 === 1 ? otherEnd : null;
}

/** The text of each token, cut behind (or before) the stop string that ended it. */
export function pieces(tokens: readonly Token[], ending: Last, keepStop: boolean): string[] {
  const texts = tokens.map((token) => (token.id === endOfText ? '' : token.text));
  if (ending.type !== 'stop') return texts;
  const whole = texts.join('');
  const at = whole.indexOf(ending.matched) + (keepStop ? ending.matched.length : 0);
  let before = 0;
  return texts.map((text) => {
    const kept = text.slice(0, Math.max(0, at - before));
    before += text.length;
    return kept;
  });
}

export function renderChat(messages: readonly { role: string; content: string }[], open: boolean): string {
  const turns = messages.map(
    ({ role, content }, at) => `<${role}>${content}${open && at === messages.length - 1 ? '' : '\n'}`,
  );
  return `<s>${turns.join('')}${open ? '' : '<assistant>'}`;
}
