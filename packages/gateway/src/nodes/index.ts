// Exports of `@coppice/gateway/nodes`. A list only.

export { NodeTaker } from './node-taker.ts';
