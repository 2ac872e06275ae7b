// Tests with one short question whether a plain server continues a message of the assistant. A path is grown that way; a server that starts
// over or repeats the message gives steps that repeat the path. This depends on server version and chat template.

import { isRecord } from '@coppice/core/base';
import type { ServerFacts } from '@coppice/core/engine';
import { type Connection, faultOf, records, text } from '@coppice/core/remote';
import { type Finding, good, note, warning } from './findings.ts';

const question = 'Name the seven colours of the rainbow from red on, with commas between them and nothing else.';
const begun = 'red, orange, yellow, green,';
const next = /^\W*blue\b/i;
const again = /^\W*red\b/i;

/** Too few for all seven, enough for one. */
const maxTokens = 12;

/** The first request to a server may have to load its model. */
const timeoutMs = 120_000;

export async function probeContinuation(connection: Connection, { model }: ServerFacts): Promise<Finding> {
  const messages = [
    { role: 'user', content: question },
    { role: 'assistant', content: begun },
  ];
  try {
    const body = { model, messages, max_tokens: maxTokens, temperature: 0 };
    return continuationFinding(replyText(await connection.json('POST', '/v1/chat/completions', body, { timeoutMs })));
  } catch (error) {
    return warning(
      `refuses a conversation that ends with the assistant, which every path is: ${faultOf(error).message}`,
    );
  }
}

/** `said`: the reply after `begun`. */
function continuationFinding(said: string): Finding {
  if (next.test(said)) return good('continues a message of the assistant: paths can be grown');
  if (again.test(said))
    return warning(
      `writes a message of the assistant again where it is to continue it ("${said.trim()}"): paths would repeat themselves; try another version of the server, or a model with another template`,
    );
  return note(`may not continue a message of the assistant: behind "${begun}" it wrote "${said.trim()}"`);
}

function replyText(answer: unknown): string {
  const [choice] = records(isRecord(answer) ? answer.choices : undefined);
  return isRecord(choice?.message) ? text(choice.message.content) : '';
}
