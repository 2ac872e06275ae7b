import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { simSignature } from '../../lab/src/sim/signature.ts';

it('the canonical simulated run is what it was: a change of behaviour updates the file on purpose', () => {
  const golden = readFileSync(new URL('./sim-signature.txt', import.meta.url), 'utf8').trim();
  // After a change that is meant to change decisions: npm run -s coppice -- sim --signature > tests/golden/sim-signature.txt
  expect(simSignature()).toBe(golden);
});
