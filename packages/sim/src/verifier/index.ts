// What other packages may import of this folder, as `@coppice/sim/verifier`. A list only.

export { SimVerifier, type SimVerifierOptions } from './sim-verifier.ts';
