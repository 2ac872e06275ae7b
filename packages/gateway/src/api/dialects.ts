// The APIs that are searched.

import { chatDialect } from '../dialects/chat/chat-dialect.ts';
import type { InboundDialect } from '../dialects/dialect.ts';
import { messagesDialect } from '../dialects/messages/messages-dialect.ts';
import { responsesDialect } from '../dialects/responses/responses-dialect.ts';
import type { ErrorJson } from '../wire/search-json.ts';

export const dialects: readonly InboundDialect[] = [chatDialect, responsesDialect, messagesDialect];

/** The dialect of a path or of one below it; every other route speaks as OpenAI's do. */
export function dialectAt(path: string): InboundDialect {
  return dialects.find((each) => path.startsWith(each.path)) ?? chatDialect;
}

export function errorAt(path: string, error: ErrorJson): object {
  return dialectAt(path).error(error);
}
