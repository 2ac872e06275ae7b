// An answer as a JavaScript client reads it: a test may read any field, and fails if it is missing.

// biome-ignore lint/suspicious/noExplicitAny: a test reads any field of the server's answer, and fails if it is missing
export type Loose = any;
