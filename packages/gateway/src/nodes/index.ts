// What other packages may import of this folder, as `@coppice/gateway/nodes`. A list only.

export { NodeTaker } from './node-taker.ts';
