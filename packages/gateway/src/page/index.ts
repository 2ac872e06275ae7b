// Exports of `@coppice/gateway/page`. A list only.

export { findPage } from './page.ts';
