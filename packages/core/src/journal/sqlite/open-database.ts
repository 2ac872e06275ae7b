// Opens the journal's file: one process at a time, commits survive power loss, and damage is found first. A damaged file is never
// overwritten: the start ends, or the file is kept aside.

import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FaultError, raise } from '../../base/fault.ts';
import type { DamageChoice } from '../journal.ts';
import { migrate } from './schema.ts';
import { findWalDamage } from './wal.ts';

export interface OpenOptions {
  readonly damaged: DamageChoice;
  readonly onDamage: (message: string) => void;
}

export const inMemory = ':memory:';

const parts = ['', '-wal', '-shm'] as const;

export function openDatabase(path: string, options: OpenOptions): DatabaseSync {
  if (path === inMemory) return openInMemory();
  try {
    makeFolder(resolve(dirname(path)));
    lookAtLog(path, options);
    return openSound(path);
  } catch (error) {
    if (error instanceof FaultError || !(error instanceof Error)) throw error;
    if (error.message.includes('locked'))
      raise('unavailable', `the journal ${path} is in use by another process; stop it or set journal.path`);
    if (!(error instanceof DamageError) && !blamesFile(error))
      raise('unavailable', `the journal ${path} cannot be opened: ${error.message}; set journal.path`);
    replace(path, error.message, options);
    return openSound(path);
  }
}

function openInMemory(): DatabaseSync {
  const database = new DatabaseSync(inMemory);
  database.exec('pragma temp_store = memory;');
  migrate(database, inMemory);
  return database;
}

/** `mkdirSync` with `recursive` never returns where a file system such as /proc answers ENOENT. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  mkdirSync(folder, 0o700);
}

export function readableByOthers(path: string): string | undefined {
  const modeOf = (each: string) => statSync(each, { throwIfNoEntry: false })?.mode ?? 0;
  if (path === inMemory || process.platform === 'win32' || (modeOf(dirname(resolve(path))) & 0o011) === 0)
    return undefined;
  const open = parts.filter((part) => (modeOf(path + part) & 0o044) !== 0).map((part) => path + part);
  return open.length === 0
    ? undefined
    : `other users of this machine can read ${open.join(', ')}, texts of clients included; chmod 600 ends it`;
}

/** Before SQLite opens the files: it would drop the rest of the log. */
function lookAtLog(path: string, options: OpenOptions): void {
  const damage = findWalDamage(`${path}-wal`);
  if (damage === undefined) return;
  const { lostCommits, offset } = damage;
  if (lostCommits === 1) {
    options.onDamage(`the last commit of the journal ${path} is torn, as a power failure leaves it; it is left out`);
    return;
  }
  const behind = lostCommits === undefined ? 'everything in it' : `the ${lostCommits} commits behind that`;
  const what = `the log ${path}-wal is damaged at byte ${offset}, and ${behind} cannot be read`;
  if (options.damaged === 'refuse') refuse(path, what);
  const aside = asideName(path);
  for (const part of parts) if (existsSync(path + part)) copyFileSync(path + part, aside + part);
  options.onDamage(`${what}; a copy is kept as ${aside}, and the journal goes on with what is before`);
}

function openSound(path: string): DatabaseSync {
  // SQLite gives the files beside it the same rights.
  closeSync(openSync(path, 'a', 0o600));
  const database = new DatabaseSync(path);
  try {
    database.exec('pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full;');
    // Erased texts are overwritten in the file, not only unlinked.
    database.exec('pragma secure_delete = on; pragma wal_autocheckpoint = 2000;');
    const [found] = Object.values(database.prepare('pragma quick_check(1)').get() ?? {});
    if (found !== 'ok') throw new DamageError(String(found).replaceAll('\n', ' '));
    migrate(database, path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function replace(path: string, reason: string, options: OpenOptions): void {
  const what = `the journal ${path} is damaged (${reason})`;
  if (options.damaged === 'refuse') refuse(path, what);
  const aside = asideName(path);
  for (const part of parts) if (existsSync(path + part)) renameSync(path + part, aside + part);
  options.onDamage(`${what}; it is kept as ${aside}, and a new journal is begun: searches in it are not resumed`);
}

function refuse(path: string, what: string): never {
  return raise('unavailable', `${what}; move ${path} away, or set journal.damaged to set-aside`);
}

function asideName(path: string): string {
  for (let at = 1; ; at += 1) {
    const name = `${path}.damaged-${at}`;
    if (parts.every((part) => !existsSync(name + part))) return name;
  }
}

class DamageError extends Error {}

/** SQLite's codes for a file that is corrupt or no database. */
function blamesFile(error: Error): boolean {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' && ((errcode & 0xff) === 11 || (errcode & 0xff) === 26);
}
