// Three nodes on one PostgreSQL while nodes are killed, paused and cut off from it, answers of it are lost, and it is restarted itself:
// nothing is lost or done twice, every log is whole, every teller says the same, and every stream that could go on did. A seed
// chooses which node is hit. `npm run storm` is the same for as long as you like; COPPICE_STORM_SEED chooses another seed.

import { describe, expect, test } from 'vitest';
import { hasPostgres } from '../support/postgres.ts';
import { runStorm } from './cluster-storm/run-storm.ts';

const seed = Number(process.env.COPPICE_STORM_SEED ?? 7);
const none = { lost: [], doubled: [], truncated: [], 'two results': [], broken: [], ghosts: [], stuck: [] };

describe.skipIf(!hasPostgres)('three nodes in a storm lose nothing, do nothing twice, and keep their streams', () => {
  test.each([
    // How much happens in the time of the other depends on the machine.
    { engine: 'sim', seconds: 25, clients: 30, leastMoved: 1 },
    { engine: 'embedded', seconds: 15, clients: 12, leastMoved: 0 },
  ] as const)('with the engine $engine', async ({ engine, seconds, clients, leastMoved }) => {
    const { summary, faults, searches, moved, logs } = await runStorm({ engine, seconds, clients, seed });
    console.log(summary);
    expect(faults).toEqual(none);
    expect(searches).toBeGreaterThan(0);
    expect(logs).toBeGreaterThanOrEqual(leastMoved);
    expect(moved).toBeGreaterThanOrEqual(leastMoved);
  });
});
