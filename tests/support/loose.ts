// An answer as a client in JavaScript reads it: whatever is asked of it, it is expected to have.

// biome-ignore lint/suspicious/noExplicitAny: a test reads what the server says, and fails where it is not there
export type Loose = any;
