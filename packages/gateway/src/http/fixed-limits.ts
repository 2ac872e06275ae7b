// Limits of the gateway that no operator has a reason to move, each with the reason for its value. Tests hand other ones to the gateway.
// What depends on the machine or on its users is in the configuration.

export const fixedLimits = {
  /** A client that is slower than this to send its headers holds a socket for nothing. */
  headerMs: 10_000,
  /** For a whole body; not a limit on the answer. */
  requestMs: 60_000,
  /** Short requests, beside the streams; beyond them the longest silent connection is closed. */
  shortConnections: 1000,
  /** For an answer that its client does not read. Web servers wait for 60 s; a silent stream has nothing to read. */
  unreadMs: 120_000,
  /** Requests on one connection before an earlier one is answered; beyond them it is closed. Common clients send none. */
  pipelined: 5,
  /** All incomplete bodies together: one and a half of the largest files. */
  bodiesBytes: 50_331_648,
  /** A long context in JSON with room for one small image. */
  bodyBytes: 4_194_304,
  /** Event streams and waiting answers open at a time; above it 429. */
  streams: 2000,
  /** Common proxies cut a silent stream after 30 to 60 s. */
  heartbeatMs: 10_000,
  /** In one conversation; their characters have a limit of their own. */
  messages: 1000,
  /** 10,000 requests of 3 kB. */
  batchFileBytes: 33_554_432,
  /** All files of one key, results of batches included. */
  keyFileBytes: 1_073_741_824,
  batchRequests: 10_000,
  /** At a time; they run on idle strands. */
  activeBatches: 4,
  /** From the end of a search to its part in the audit of its judge, at least: one reading serves many. */
  auditMs: 5000,
} as const;

export type FixedLimits = { readonly [Name in keyof typeof fixedLimits]: number };

/** Files and ended batches outlive searches by this factor: results are fetched later. Four weeks for one. */
export const batchRetention = 4;
