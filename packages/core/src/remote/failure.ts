// Faults of the wire, with server, setting and remedy. Every text from outside passes through here, so that no key leaves in a message.

import { type Fault, type FaultCode, FaultError, fault } from '../base/fault.ts';

/** Address without credentials, and the secrets to strike out. */
export interface Place {
  readonly url: string;
  readonly secrets: readonly string[];
}

/** Makes a fault of whatever reading an answer throws: no answer may end the process. */
export function faultOf(error: unknown): Fault {
  if (error instanceof FaultError) return error.fault;
  return fault('protocol', `an answer that cannot be read (${error instanceof Error ? error.message : String(error)})`);
}

const quotedCharacters = 300;

export function quote(text: string, place: Place): string {
  let clean = text.replace(/\s+/g, ' ').trim();
  for (const secret of place.secrets) clean = clean.replaceAll(secret, '***');
  return clean.length > quotedCharacters ? `${clean.slice(0, quotedCharacters)}…` : clean;
}

/** vLLM and llama-server nest the message, SGLang's OpenAI routes do not, FastAPI says `detail`. */
function errorText(body: string): string {
  try {
    const parsed: unknown = JSON.parse(body);
    return messageOf(parsed) ?? body;
  } catch {
    return body;
  }
}

export function messageOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { error, message, detail } = body as Record<string, unknown>;
  if (typeof error === 'string') return error;
  if (typeof error === 'object' && error !== null) return messageOf(error);
  if (typeof message === 'string') return message;
  return detail === undefined || typeof detail === 'string' ? detail : JSON.stringify(detail);
}

export const tooLong =
  /context length|context size|longer than the model|exceed_context|exceeds? the (available|maximum|model)/i;

export function faultOfStatus(place: Place, path: string, status: number, body: string): Fault {
  const said = quote(errorText(body), place);
  const where = `${place.url}${path} answered ${status}`;
  const tell = (code: FaultCode, remedy: string, retryable?: boolean): Fault =>
    fault(code, `${where}${said === '' ? '' : ` "${said}"`}${remedy === '' ? '' : `; ${remedy}`}`, retryable);

  if (status === 401 || status === 403) return tell('refused', 'set apiKey for this server to a key that it accepts');
  if (status === 404) return tell('refused', 'check url (the root of the server) and model (a name it serves)');
  if (status === 413 || ((status === 400 || status === 422) && tooLong.test(body))) {
    return tell('too-long', 'shorten the prompt, lower stepTokens or serve the model with a longer context');
  }
  if (status === 429) return tell('overloaded', '');
  if (status === 503) return tell(/loading|starting/i.test(said) ? 'unavailable' : 'overloaded', '');
  if (status === 501) return tell('unsupported', 'the server was started without what this needs');
  if (status === 408 || status === 504) return tell('timeout', '');
  if (status >= 500) return tell('internal', '');
  if (status >= 300 && status < 400) return tell('refused', 'it redirects; give url its final address');
  return tell('refused', '');
}

const tlsCodes = /^(CERT_|ERR_TLS|ERR_SSL|EPROTO|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/;

/** A refused certificate does not mend by waiting. */
export function faultOfError(place: Place, path: string, error: Error & { readonly code?: string }): Fault {
  const code = error.code ?? '';
  const detail = quote(error.message === '' ? code : error.message, place);
  const where = `${place.url}${path}`;
  if (tlsCodes.test(code)) {
    const remedy =
      'check that url says http or https as the server does, and trust its authority by NODE_EXTRA_CA_CERTS';
    return fault('unavailable', `${where}: TLS failed (${detail}); ${remedy}`, false);
  }
  if (code === 'ENOTFOUND') {
    return fault('unavailable', `${where}: no such host; check url`);
  }
  if (code === 'ECONNREFUSED') {
    return fault('unavailable', `${where}: nothing listens there; start the server or check url`);
  }
  if (code.startsWith('HPE_')) {
    return fault('protocol', `${where}: what answers there does not speak HTTP (${detail}); check url`);
  }
  return fault('unavailable', `${where}: the connection broke (${detail})`);
}
