// What other packages may import of this folder, as `@coppice/gateway`. A list only.

export { Gateway } from './gateway.ts';
