// The APIs that are searched, one line each.

import { chatDialect } from '../dialects/chat/chat-dialect.ts';
import type { InboundDialect } from '../dialects/dialect.ts';
import { messagesDialect } from '../dialects/messages/messages-dialect.ts';
import { responsesDialect } from '../dialects/responses/responses-dialect.ts';
import type { ErrorJson } from '../wire/search-json.ts';

export const dialects: readonly InboundDialect[] = [chatDialect, responsesDialect, messagesDialect];

/** The one whose path this is, or leads there; every other route speaks as OpenAI's do. */
export function dialectAt(path: string): InboundDialect {
  return dialects.find((each) => path.startsWith(each.path)) ?? chatDialect;
}

export function errorAt(path: string, error: ErrorJson): object {
  return dialectAt(path).error(error);
}
