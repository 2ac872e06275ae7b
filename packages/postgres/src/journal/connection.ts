// Opens connections, sets up sessions and classifies their errors. The server ends a session that stops inside a transaction (a paused process,
// a lost network), so that its locks cannot keep other nodes from taking over.

import { FaultError, fault } from '@coppice/core/base';
import pg, { type Client, type ClientConfig } from 'pg';

export interface DatabaseOptions {
  /** `postgres://user:password@host:port/database`, as libpq takes it. */
  readonly url: string;
  /** Name of the environment variable with the address, for messages. */
  readonly urlEnv: string;
  readonly schema: string;
}

const connectMs = 5000;
/** Longer than any statement of the journal takes on a healthy database. */
const statementMs = 10_000;
const idleInTransactionMs = 3000;

const session = [
  `set statement_timeout = ${statementMs}`,
  `set lock_timeout = ${statementMs / 2}`,
  `set idle_in_transaction_session_timeout = ${idleInTransactionMs}`,
  'set timezone = UTC',
].join(';');

export function clientConfig({ url }: DatabaseOptions): ClientConfig {
  return {
    connectionString: url,
    application_name: 'coppice',
    connectionTimeoutMillis: connectMs,
    // The server's own limit comes first; this one is for a server that no longer answers.
    query_timeout: statementMs + 2000,
    keepAlive: true,
  };
}

/** Throws a fault with a one-line message. */
export async function connect(options: DatabaseOptions): Promise<Client> {
  try {
    const client = new pg.Client(clientConfig(options));
    // An idle connection that breaks reports it here. Nothing to do: its next use fails.
    client.on('error', () => {});
    await client.connect();
    await client.query(session);
    return client;
  } catch (error) {
    throw databaseFault(error, options);
  }
}

/** A failed statement. `isUnsure`: it may have been committed all the same. */
export class StatementFault extends FaultError {
  readonly isUnsure: boolean;

  constructor(error: unknown, options: DatabaseOptions) {
    super(databaseFault(error, options).fault);
    this.isUnsure = !isRolledBack(error) && !hasNotConnected(error);
  }
}

export function databaseFault(error: unknown, { urlEnv }: DatabaseOptions): FaultError {
  if (error instanceof FaultError) return error;
  const code = isSettingWrong(error) ? 'bad-setting' : 'unavailable';
  return new FaultError(
    fault(code, `the database cannot be used: ${describeError(error)}; ${urlEnv} says where it is`),
  );
}

export function describeError(error: unknown): string {
  const { message, errors } = error as { message?: string; errors?: readonly Error[] };
  const text = message || errors?.[0]?.message || String(error);
  return text.replaceAll(/\n\s*/g, ' ');
}

function sqlState(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : '';
}

/** Wrong password or role, no such database, no permission: another try will fail too. */
function isSettingWrong(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return /^(28|3D|42)/.test(sqlState(error)) || code === 'ERR_INVALID_URL' || code === 'ENOTFOUND';
}

/** Data exceptions, broken constraints and exceeded limits are due to the values of one write. */
export function blamesValues(error: unknown): boolean {
  return /^(22|23|54)/.test(sqlState(error));
}

/** Serialization failure or deadlock: the next try may succeed. */
export function isContention(error: unknown): boolean {
  return ['40001', '40P01'].includes(sqlState(error));
}

/** True if the server itself reported the failure, and not because it was going down. */
export function isRolledBack(error: unknown): boolean {
  const state = sqlState(error);
  return state !== '' && !/^(08|57|58|XX)/.test(state);
}

/** True if no connection was made, so nothing was sent. */
function hasNotConnected(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: string };
  const refused = ['ECONNREFUSED', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN', '57P03'].includes(String(code));
  return refused || /trying to connect|connect ETIMEDOUT/.test(message ?? '');
}
