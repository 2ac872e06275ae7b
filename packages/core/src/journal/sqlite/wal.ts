// Looks for damage in a write-ahead log before SQLite reads it. SQLite takes a log up to the first frame that does not
// verify and drops the rest without a word: right for the torn end that a power failure leaves, wrong for damage in the
// middle, which takes every later commit along. The two are told apart by what follows: commits are synced one by one,
// so at most one of them can be torn; whole frames of this log with more commits behind a bad frame were safe once.
// Format: https://sqlite.org/fileformat.html#the_write_ahead_log. Reads only.

import { readFileSync } from 'node:fs';

interface WalDamage {
  /** Commits behind the first bad frame, as far as they can be told; undefined where the header itself is damaged. */
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
  if (!isHeader) return isBlank(file) ? undefined : { lostCommits: undefined, offset: 0 };
  return findBadFrame(file, sums);
}

function findBadFrame(file: Buffer, sums: Sums): WalDamage | undefined {
  const frameBytes = frameHeaderBytes + file.readUInt32BE(8);
  let bad: number | undefined;
  let lostCommits = 0;
  for (let at = headerBytes; at + frameBytes <= file.length; at += frameBytes) {
    // The salts of the header tell frames of this log from those of an older one that it overwrites.
    const isOurs = file.compare(file, 16, 24, at + 8, at + 16) === 0;
    if (bad === undefined && isOurs) {
      sums.add(at, 8);
      sums.add(at + frameHeaderBytes, frameBytes - frameHeaderBytes);
    }
    if (bad === undefined && !(isOurs && sums.match(at + 16))) bad = at;
    // The size of the database stands in the last frame of each commit, 0 in the others.
    if (bad !== undefined && isOurs && file.readUInt32BE(at + 4) > 0) lostCommits += 1;
  }
  return bad === undefined || lostCommits === 0 ? undefined : { lostCommits, offset: bad };
}

/** The running checksum over header and frames: two sums over pairs of 32-bit words. */
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

/** A header that was never written: nothing was committed to this log. */
function isBlank(file: Buffer): boolean {
  return file.subarray(0, headerBytes).every((byte) => byte === 0);
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
