// Exports of this folder to other packages, as `@coppice/papers/refine`. A list only.

export { createRefine } from './refine.ts';
