// What other packages may import of this folder, as `@coppice/gateway/page`. A list only.

export { findPage } from './page.ts';
