// LM Studio, whose sources are closed: what its documents and the reports of its users say. Pages that it does not have answer 200 with an error
// inside (lmstudio-bug-tracker#618, #1323), a trailing message of the assistant is continued, and one version writes it again first (#2041).

import { PlainServer } from './plain-server.ts';
import type { EventStream, ServerSettings } from './server.ts';

interface ChatMessage {
  readonly role: string;
  readonly content: string;
}

export interface LmStudioSettings extends ServerSettings {
  /** As 0.4.16 with its CUDA runtime 2.21. */
  readonly repeats?: boolean;
}

const pages = ['POST /v1/chat/completions', 'POST /v1/completions'];

export class LmStudioServer extends PlainServer {
  readonly #repeats: boolean;

  constructor({ repeats = false, ...settings }: LmStudioSettings = {}) {
    super(settings);
    this.#repeats = repeats;
    this.reply = () => ' blue, indigo, violet';
  }

  protected override route(endpoint: string, body: Record<string, unknown>, open: () => EventStream): Promise<unknown> {
    if (endpoint === 'GET /v1/models') {
      const model = { id: this.model, object: 'model', owned_by: 'organization_owner' };
      return Promise.resolve({ object: 'list', data: [model] });
    }
    if (!pages.includes(endpoint)) return Promise.resolve({ error: `Unexpected endpoint or method. (${endpoint})` });
    return super.route(endpoint, body, open);
  }

  protected override opening(messages: readonly ChatMessage[]): string {
    const last = messages.at(-1);
    return this.#repeats && last?.role === 'assistant' ? last.content : '';
  }
}
