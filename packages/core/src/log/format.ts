// The format of logs. Raised when an older coppice could not go on from a log that is written now; the format before it stays
// readable, so that old and new processes can share a journal while they are being exchanged.

export interface LogFormats {
  readonly writes: number;
  /** All that it can go on from, what it writes first. */
  readonly reads: readonly number[];
}

/** 2: an entry may hold several events (entry.ts); in 1 it holds one. */
export const logFormats: LogFormats = { writes: 2, reads: [2, 1] };
