// A plain OpenAI-compatible server: text prompts only, one choice, no log probabilities, "stop" for everything that is not the
// length, and a chat route that continues a trailing assistant message.

import { cutTokens } from './model.ts';
import { type EventStream, TestServer } from './server.ts';
import { pieces, renderChat } from './vllm-server.ts';

export class PlainServer extends TestServer {
  /** What the chat route answers without streaming, for judges; tests replace it. */
  reply: (messages: readonly { role: string; content: string }[]) => string = () => 'The value is 7.';
  /** The log probabilities that come with it. */
  replyLogprobs: () => unknown = () => null;

  protected errorBody(status: number, message: string): unknown {
    return { error: { message, type: 'api_error', param: null, code: String(status) } };
  }

  protected route(endpoint: string, body: Record<string, unknown>, open: () => EventStream): Promise<unknown> {
    switch (endpoint) {
      case 'GET /v1/models':
        return Promise.resolve({ object: 'list', data: [{ id: this.model, object: 'model', owned_by: 'library' }] });
      case 'POST /v1/completions':
        return this.#generate(body, this.#text(body.prompt), 'text', open);
      case 'POST /v1/chat/completions': {
        const messages = body.messages as { role: string; content: string }[];
        const continues = messages.at(-1)?.role === 'assistant';
        if (body.stream !== true) return Promise.resolve(this.#chat(messages));
        return this.#generate(body, renderChat(messages, continues), 'chat', open, this.opening(messages));
      }
      default:
        return this.refuse(404, '404 page not found');
    }
  }

  /** What it writes before it answers. */
  protected opening(_messages: readonly { role: string; content: string }[]): string {
    return '';
  }

  #text(prompt: unknown): string {
    return typeof prompt === 'string'
      ? prompt
      : this.refuse(400, 'json: cannot unmarshal array into prompt of type string');
  }

  #chat(messages: readonly { role: string; content: string }[]): unknown {
    this.begin();
    const message = { role: 'assistant', content: this.opening(messages) + this.reply(messages) };
    return {
      object: 'chat.completion',
      choices: [{ index: 0, message, logprobs: this.replyLogprobs(), finish_reason: 'stop' }],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    };
  }

  async #generate(
    body: Record<string, unknown>,
    prompt: string,
    kind: 'text' | 'chat',
    open: () => EventStream,
    opening = '',
  ): Promise<unknown> {
    const mischief = this.begin();
    if (body.model !== this.model) this.refuse(404, `model "${body.model}" not found, try pulling it first`);
    const ids = this.vocabulary.encode(prompt, true);
    const drawn = this.draw(ids, Number(body.seed ?? 0), Number(body.temperature ?? 1), mischief);
    const { tokens, ending } = cutTokens(drawn, (body.stop as string[] | undefined) ?? [], Number(body.max_tokens));
    const texts = pieces(tokens, ending, false);
    const stream = open();
    const { field } = this.thinking ?? {};
    let thinks = field !== undefined && kind === 'chat';
    const complete = await this.writeTokens(stream, tokens, mischief, async (_, at) => {
      const finish = at === tokens.length - 1 ? (ending.type === 'length' ? 'length' : 'stop') : null;
      const isTag = thinks && /^<\/?think>$/.test(texts[at]!);
      const text = isTag ? '' : (at === 0 ? opening : '') + texts[at];
      const spoken = { delta: { role: 'assistant', [thinks && field !== undefined ? field : 'content']: text } };
      const said = kind === 'text' ? { text } : spoken;
      if (isTag && texts[at] === '</think>') thinks = false;
      await stream.event({ object: 'chunk', choices: [{ index: 0, ...said, finish_reason: finish }] });
    });
    if (!complete) return undefined;
    await stream.event({
      choices: [],
      usage: { prompt_tokens: ids.length, completion_tokens: tokens.length, total_tokens: ids.length + tokens.length },
    });
    if (mischief.type !== 'no-done') await stream.raw('data: [DONE]\n\n');
    return undefined;
  }
}
