// Ollama's OpenAI routes, as its sources have them (ollama/ollama, August 2026: openai/openai.go, middleware/openai.go, server/routes.go,
// server/prompt.go): a trailing message of the assistant is left open, the finish reason comes in a chunk of its own behind an empty delta, every chunk of
// /v1/completions carries a usage of zeros, that route puts its prompt into the chat template, and an error in the middle of a stream is an empty chunk
// and a stream that ends. Not here: messages that do not fit its context are left out without a word.

import { cutTokens, type Token } from './model.ts';
import { type EventStream, type Mischief, TestServer } from './server.ts';
import { pieces, renderChat } from './vllm-server.ts';

interface ChatMessage {
  readonly role: string;
  readonly content: string;
}

/** What one request draws, and how it is told. */
interface Drawn {
  readonly promptTokens: number;
  readonly tokens: readonly Token[];
  readonly texts: readonly string[];
  readonly finish: 'stop' | 'length';
}

const types: Readonly<Record<number, string>> = { 400: 'invalid_request_error', 404: 'not_found_error' };

export class OllamaServer extends TestServer {
  /** What it was asked for whole: what stands behind the last message. */
  reply: (messages: readonly ChatMessage[]) => string = () => ' blue, indigo, violet';

  protected errorBody(status: number, message: string): unknown {
    return { error: { message, type: types[status] ?? 'api_error', param: null, code: null } };
  }

  protected route(endpoint: string, body: Record<string, unknown>, open: () => EventStream): Promise<unknown> {
    switch (endpoint) {
      case 'GET /v1/models':
        return Promise.resolve({
          object: 'list',
          data: [{ id: this.model, object: 'model', created: 1, owned_by: 'library' }],
        });
      case 'POST /v1/chat/completions':
        return this.#chat(body, open);
      case 'POST /v1/completions':
        return this.#complete(body, open);
      default:
        return this.refuse(404, '404 page not found');
    }
  }

  async #chat(body: Record<string, unknown>, open: () => EventStream): Promise<unknown> {
    const messages = body.messages as ChatMessage[];
    const mischief = this.#begin(body);
    if (body.stream !== true) return this.#whole(messages);
    const drawn = this.#draw(body, renderChat(messages, messages.at(-1)?.role === 'assistant'), mischief);
    const stream = open();
    const say = (delta: object, finish: string | null) =>
      stream.event({ ...this.#head('chat.completion.chunk'), choices: [{ index: 0, delta, finish_reason: finish }] });
    const inside = mischief.type === 'error-inside' ? mischief.afterTokens : undefined;
    const kept = inside === undefined ? drawn.tokens : drawn.tokens.slice(0, inside);
    const whole = await this.writeTokens(stream, kept, mischief, (_, at) =>
      say({ ...(at === 0 ? { role: 'assistant' } : {}), content: drawn.texts[at] }, null),
    );
    if (inside !== undefined) await say({ content: '' }, null);
    if (!whole || inside !== undefined) return undefined;
    await say({}, drawn.finish);
    return this.#end(body, stream, 'chat.completion.chunk', drawn);
  }

  async #complete(body: Record<string, unknown>, open: () => EventStream): Promise<unknown> {
    if (typeof body.prompt !== 'string')
      this.refuse(400, 'json: cannot unmarshal array into Go struct field CompletionRequest.prompt of type string');
    const mischief = this.#begin(body);
    const drawn = this.#draw(body, renderChat([{ role: 'user', content: body.prompt as string }], false), mischief);
    const stream = open();
    const whole = await this.writeTokens(stream, drawn.tokens, mischief, (_, at) => {
      const finish_reason = at === drawn.tokens.length - 1 ? drawn.finish : null;
      const choices = [{ text: drawn.texts[at], index: 0, finish_reason }];
      const nothing = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
      return stream.event({
        ...this.#head('text_completion'),
        choices,
        ...(asksUsage(body) ? { usage: nothing } : {}),
      });
    });
    return whole ? this.#end(body, stream, 'text_completion', drawn) : undefined;
  }

  #begin({ model }: Record<string, unknown>): Mischief {
    if (model !== this.model) this.refuse(404, `model "${String(model)}" not found, try pulling it first`);
    return this.begin();
  }

  #head(object: string): object {
    return { id: 'chatcmpl-1', object, created: 1, model: this.model, system_fingerprint: 'fp_ollama' };
  }

  #draw(body: Record<string, unknown>, prompt: string, mischief: Mischief): Drawn {
    const ids = this.vocabulary.encode(prompt, true);
    const drawn = this.draw(ids, Number(body.seed ?? 0), Number(body.temperature ?? 1), mischief);
    const { tokens, ending } = cutTokens(drawn, (body.stop as string[] | undefined) ?? [], Number(body.max_tokens));
    const finish = ending.type === 'length' ? 'length' : 'stop';
    return { promptTokens: ids.length, tokens, texts: pieces(tokens, ending, false), finish };
  }

  async #end(body: Record<string, unknown>, stream: EventStream, object: string, drawn: Drawn): Promise<undefined> {
    const { promptTokens: prompt_tokens, tokens } = drawn;
    const usage = { prompt_tokens, completion_tokens: tokens.length, total_tokens: prompt_tokens + tokens.length };
    if (asksUsage(body)) await stream.event({ ...this.#head(object), choices: [], usage });
    await stream.raw('data: [DONE]\n\n');
  }

  #whole(messages: readonly ChatMessage[]): unknown {
    const message = { role: 'assistant', content: this.reply(messages) };
    const usage = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 };
    return { ...this.#head('chat.completion'), choices: [{ index: 0, message, finish_reason: 'stop' }], usage };
  }
}

function asksUsage({ stream_options: options }: Record<string, unknown>): boolean {
  return (options as { readonly include_usage?: boolean } | undefined)?.include_usage === true;
}
