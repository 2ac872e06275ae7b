// Exports of `@coppice/gateway/http`. A list only.

export { ApiError } from './api-error.ts';
export { type Caller, newKey } from './keys.ts';
