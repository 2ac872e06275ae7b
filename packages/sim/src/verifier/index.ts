// `@coppice/sim/verifier`: the names that other packages may import. A list only.

export { SimVerifier } from './sim-verifier.ts';
