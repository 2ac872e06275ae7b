// What other packages may import of this folder, as `@coppice/sim/verifier`. A list only.

export { SimVerifier } from './sim-verifier.ts';
