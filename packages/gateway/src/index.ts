// Exports of `@coppice/gateway`. A list only.

export { Gateway } from './gateway.ts';
