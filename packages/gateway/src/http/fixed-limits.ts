// Limits of the gateway that no operator has a reason to move: each with the reason for its value. A test hands others to the gateway; the
// configuration has none of them. What depends on the machine or on its users stands in the configuration instead.

export const fixedLimits = {
  /** A client that is slower than this to send its headers holds a socket for nothing. */
  headerMs: 10_000,
  /** To send a whole body; not a limit on the answer. */
  requestMs: 60_000,
  /** Beside the streams, for short requests; beyond them the connection that has been silent for longest is closed. */
  shortConnections: 1000,
  /** Without progress of an answer whose client does not read, until it is closed: web servers wait for 60 s, and a silent stream has nothing to read. */
  unreadMs: 120_000,
  /** Sent on one connection before an earlier one is answered; beyond them it is closed. Common clients send none. */
  pipelined: 5,
  /** Of bodies that have not come whole, of all requests together: one and a half of the largest files. */
  bodiesBytes: 50_331_648,
  /** Of one body: a long context in JSON with room for one small image. */
  bodyBytes: 4_194_304,
  /** Event streams and waiting answers open at a time; above it 429. */
  streams: 2000,
  /** Common proxies cut a silent stream after 30 to 60 s. */
  heartbeatMs: 10_000,
  /** Messages of one conversation; their characters have a limit of their own. */
  messages: 1000,
  /** Of one file of a batch: 10,000 requests of 3 kB. */
  batchFileBytes: 33_554_432,
  /** Of all files that one key keeps, results of batches included. */
  keyFileBytes: 1_073_741_824,
  batchRequests: 10_000,
  /** Batches worked on at a time, those of a key that has none first: they run on what other searches leave idle. */
  activeBatches: 4,
} as const;

export type FixedLimits = { readonly [Name in keyof typeof fixedLimits]: number };

/** Files and batches that have ended outlive searches: their results are fetched later, if at all. Four weeks of a week. */
export const batchRetention = 4;
