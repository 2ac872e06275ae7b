// The format of logs. Raised when an older coppice could not go on from a log that is written now; the format before it stays
// readable, so that old and new processes can share a journal while they are being exchanged.

export interface LogFormats {
  readonly writes: number;
  /** All that it can go on from, what it writes first. */
  readonly reads: readonly number[];
}

export const logFormats: LogFormats = { writes: 1, reads: [1] };
