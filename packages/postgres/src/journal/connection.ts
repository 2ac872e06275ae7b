// Opens connections, sets up sessions and reads their errors. The server ends a session that stops inside a transaction (its process paused, its
// network gone), so that its locks cannot keep others from taking over.

import { FaultError, fault } from '@coppice/core/base';
import pg, { type Client, type ClientConfig } from 'pg';

export interface DatabaseOptions {
  /** `postgres://user:password@host:port/database`, as libpq takes it. */
  readonly url: string;
  /** The environment variable that it came from, for messages. */
  readonly urlEnv: string;
  readonly schema: string;
}

const connectMs = 5000;
/** Longer than any statement of the journal takes on a database that is well. */
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
    // The server's own limit comes first; this one is for a server that is gone.
    query_timeout: statementMs + 2000,
    keepAlive: true,
  };
}

/** Throws a fault whose message is one line. */
export async function connect(options: DatabaseOptions): Promise<Client> {
  try {
    const client = new pg.Client(clientConfig(options));
    // An idle connection that breaks tells it here; its next user finds out.
    client.on('error', () => {});
    await client.connect();
    await client.query(session);
    return client;
  } catch (error) {
    throw databaseFault(error, options);
  }
}

/** A statement that failed, and whether it may have been committed all the same. */
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

/** Wrong password or role, no such database, not allowed: trying again will not help. */
function isSettingWrong(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return /^(28|3D|42)/.test(sqlState(error)) || code === 'ERR_INVALID_URL' || code === 'ENOTFOUND';
}

/** Data exceptions, broken constraints and exceeded limits blame the values of one write. */
export function blamesValues(error: unknown): boolean {
  return /^(22|23|54)/.test(sqlState(error));
}

/** Two transactions stood in each other's way: the next try may well succeed. */
export function isContention(error: unknown): boolean {
  return ['40001', '40P01'].includes(sqlState(error));
}

/** The server itself said that the transaction failed, and did not say so because it was going down. */
export function isRolledBack(error: unknown): boolean {
  const state = sqlState(error);
  return state !== '' && !/^(08|57|58|XX)/.test(state);
}

/** There was no connection to send anything on. */
function hasNotConnected(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: string };
  const refused = ['ECONNREFUSED', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN', '57P03'].includes(String(code));
  return refused || /trying to connect|connect ETIMEDOUT/.test(message ?? '');
}
