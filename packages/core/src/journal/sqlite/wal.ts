// Looks for damage in a write-ahead log before SQLite reads it, which drops everything from the first bad frame on. That is right for the
// one torn commit of a power failure, wrong for damage before other commits. Format:
// https://sqlite.org/fileformat.html#the_write_ahead_log. Reads only.

import { readFileSync } from 'node:fs';

interface WalDamage {
  /** Behind the first bad frame; undefined if the header is damaged. */
  readonly lostCommits: number | undefined;
  readonly offset: number;
}

const headerBytes = 32;
const frameHeaderBytes = 24;
const magicNumber = 0x377f0682;

export function findWalDamage(path: string): WalDamage | undefined {
  const file = readIfThere(path);
  if (file === undefined || file.length <= headerBytes) return undefined;
  const magic = file.readUInt32BE(0);
  const sums = new Sums(file, (magic & 1) === 1);
  sums.add(0, 24);
  const isHeader = (magic & ~1) >>> 0 === magicNumber && sums.match(24);
  if (isHeader) return findBadFrame(file, sums);
  const isBlank = file.subarray(0, headerBytes).every((byte) => byte === 0);
  return isBlank ? undefined : { lostCommits: undefined, offset: 0 };
}

function findBadFrame(file: Buffer, sums: Sums): WalDamage | undefined {
  const frameBytes = frameHeaderBytes + file.readUInt32BE(8);
  let bad: number | undefined;
  let lostCommits = 0;
  for (let at = headerBytes; at + frameBytes <= file.length; at += frameBytes) {
    // The header's salts tell frames of this log from those of an older one.
    const isOurs = file.compare(file, 16, 24, at + 8, at + 16) === 0;
    if (bad === undefined && isOurs) {
      sums.add(at, 8);
      sums.add(at + frameHeaderBytes, frameBytes - frameHeaderBytes);
    }
    if (bad === undefined && !(isOurs && sums.match(at + 16))) bad = at;
    // The last frame of each commit holds the size of the database, the others 0.
    if (bad !== undefined && isOurs && file.readUInt32BE(at + 4) > 0) lostCommits += 1;
  }
  return bad === undefined || lostCommits === 0 ? undefined : { lostCommits, offset: bad };
}

/** Two running sums over pairs of 32-bit words. */
class Sums {
  readonly #words: DataView;
  readonly #littleEndian: boolean;
  #first = 0;
  #second = 0;

  constructor(file: Buffer, bigEndian: boolean) {
    this.#words = new DataView(file.buffer, file.byteOffset, file.length);
    this.#littleEndian = !bigEndian;
  }

  add(offset: number, bytes: number): void {
    let [first, second] = [this.#first, this.#second];
    for (let at = offset; at < offset + bytes; at += 8) {
      first = (first + this.#words.getUint32(at, this.#littleEndian) + second) >>> 0;
      second = (second + this.#words.getUint32(at + 4, this.#littleEndian) + first) >>> 0;
    }
    [this.#first, this.#second] = [first, second];
  }

  match(offset: number): boolean {
    return this.#words.getUint32(offset) === this.#first && this.#words.getUint32(offset + 4) === this.#second;
  }
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
