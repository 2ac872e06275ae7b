// What other packages may import of this folder, as `@coppice/core/remote`. A list only.

export { BoundedBody, readBody, tooMuch } from './bounded-body.ts';
export { Connection, type ConnectionOptions } from './connection.ts';
export { faultOf } from './failure.ts';
export type { Transport } from './http-transport.ts';
export { excessIn, parseJson } from './json.ts';
export { SseParser } from './sse.ts';
export { records, text } from './wire-values.ts';
