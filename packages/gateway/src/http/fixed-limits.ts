// Limits of the gateway that no operator needs to change, each with the reason for its value. Tests pass other ones. Limits that depend
// on the machine or its users are in the configuration.

export const fixedLimits = {
  /** Time to send the headers: a slower client holds a socket for nothing. */
  headerMs: 10_000,
  /** Time to send a whole body; the answer may take longer. */
  requestMs: 60_000,
  /** Connections besides the streams, for short requests. A new one above the limit closes the one that has been silent longest. */
  shortConnections: 1000,
  /** Time that an answer may stay unread. Web servers wait for 60 s; a silent stream has nothing to read. */
  unreadMs: 120_000,
  /** Requests that may wait on a connection for an earlier answer; with more it is closed. Common clients send none. */
  pipelined: 5,
  /** For all incomplete bodies together: one and a half times the largest file. */
  bodiesBytes: 50_331_648,
  /** A long context in JSON with room for one small image. */
  bodyBytes: 4_194_304,
  /** Event streams and waiting answers that may be open; above it 429. */
  streams: 2000,
  /** Common proxies cut a silent stream after 30 to 60 s. */
  heartbeatMs: 10_000,
  /** Messages of one conversation; their characters have a separate limit. */
  messages: 1000,
  /** 10,000 requests of 3 kB. */
  batchFileBytes: 33_554_432,
  /** All files of one key, results of batches included. */
  keyFileBytes: 1_073_741_824,
  batchRequests: 10_000,
  /** Batches that run at a time; they use idle strands. */
  activeBatches: 4,
  /** Least delay from the end of a search to the audit of its judge: one reading covers many searches. */
  auditMs: 5000,
} as const;

export type FixedLimits = { readonly [Name in keyof typeof fixedLimits]: number };

/** Files and ended batches are kept this many times as long as searches (four weeks for one): results are fetched later. */
export const batchRetention = 4;
