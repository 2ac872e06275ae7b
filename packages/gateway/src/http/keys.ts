// Identifies callers. Keys are kept as SHA-256 of 256 random bits and compared in constant time, all of them every time, so that neither the
// answer nor its time tells how close a guess was. A key never reaches a log, a metric or the journal.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { KeyConfig } from '@coppice/core/config';
import { ApiError } from './api-error.ts';

export interface Caller {
  readonly name: string;
  readonly share: number;
  readonly maxPriority: number;
  readonly queue: number;
  readonly admin: boolean;
}

/** Undefined for an admin key, which sees all. */
export function ownerSeenBy({ admin, name }: Caller): string | undefined {
  return admin ? undefined : name;
}

export function maySee({ admin, name }: Caller, owner: string): boolean {
  return admin || owner === name;
}

const local: Caller = { name: 'local', share: 1, maxPriority: 100, queue: Number.POSITIVE_INFINITY, admin: true };

interface KnownKey {
  readonly hash: Buffer;
  readonly caller: Caller;
}

export class Keyring {
  #keys: readonly KnownKey[] = [];
  readonly #queue: number;

  constructor(keys: readonly KeyConfig[], queue: number) {
    this.#queue = queue;
    this.use(keys);
  }

  /** Replaces the keys. Returns the names whose key or hash is gone. */
  use(keys: readonly KeyConfig[]): string[] {
    const before = this.#keys;
    // Each of several keys may fill half of the queue, so that none shuts the others out.
    const queue = keys.length === 1 ? this.#queue : Math.ceil(this.#queue / 2);
    this.#keys = keys.map(({ name, hash, share, priority, admin }) => ({
      hash: Buffer.from(hash.slice('sha256:'.length), 'hex'),
      caller: { name, share, maxPriority: priority, queue, admin },
    }));
    const stays = (one: KnownKey) =>
      this.#keys.some(({ hash, caller }) => caller.name === one.caller.name && hash.equals(one.hash));
    return before.filter((one) => !stays(one)).map(({ caller }) => caller.name);
  }

  identify(authorization: string | undefined): Caller {
    if (this.#keys.length === 0) return local;
    const [, token] = /^Bearer +(\S{1,512})$/i.exec(authorization ?? '') ?? [];
    if (token === undefined) {
      throw new ApiError('invalid_api_key', 'no API key was given; send it as Authorization: Bearer KEY');
    }
    const presented = digest(token);
    let found: Caller | undefined;
    for (const { hash, caller } of this.#keys) if (timingSafeEqual(hash, presented)) found = caller;
    if (found === undefined) throw new ApiError('invalid_api_key', 'the API key is not known to this server');
    return found;
  }
}

export function newKey(): { readonly key: string; readonly hash: string } {
  const key = `cpk_${randomBytes(32).toString('base64url')}`;
  return { key, hash: `sha256:${digest(key).toString('hex')}` };
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
