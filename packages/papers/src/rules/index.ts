// Exports of this folder to other packages, as `@coppice/papers/rules`. A list only.

export { leadNeeded } from './certainty.ts';
