// A plain chat server whose answers a test scripts: what `answer` says of the last question goes out whole or as a stream, word by word, whichever way
// it is asked. It counts a word as a token.

import { PlainServer } from './plain-server.ts';
import type { EventStream } from './server.ts';

interface ChatMessage {
  readonly role: string;
  readonly content: string;
}

export class AnsweringServer extends PlainServer {
  /** Of the question, and whether a system message came with it. */
  answer: (question: string, isAdvised: boolean) => string = () => 'The answer is 7.';

  protected override async route(
    endpoint: string,
    body: Record<string, unknown>,
    open: () => EventStream,
  ): Promise<unknown> {
    if (endpoint !== 'POST /v1/chat/completions') return super.route(endpoint, body, open);
    const messages = body.messages as readonly ChatMessage[];
    const question = messages.findLast(({ role }) => role === 'user')!.content;
    const said = this.answer(
      question,
      messages.some(({ role }) => role === 'system'),
    );
    const words = said.split(/(?<= )/);
    const usage = { prompt_tokens: 10, completion_tokens: words.length, total_tokens: 10 + words.length };
    if (body.stream !== true) {
      const message = { role: 'assistant', content: said };
      return { object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }], usage };
    }
    const stream = open();
    for (const [at, content] of words.entries()) {
      const finish = at === words.length - 1 ? 'stop' : null;
      await stream.event({
        object: 'chunk',
        choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: finish }],
      });
    }
    await stream.event({ choices: [], usage });
    await stream.raw('data: [DONE]\n\n');
    return undefined;
  }
}
