// What every list of replicas must do, whoever keeps it. Nothing here depends on how it is asked, only on the contract of
// src/engine/remote/list/replica-list.ts.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FaultError } from '../../src/base/fault.ts';
import { readOnce } from '../../src/engine/remote/list/followed-list.ts';
import type { ReplicaList } from '../../src/engine/remote/list/replica-list.ts';

export interface ReplicaListHarness {
  readonly list: ReplicaList;
  /** From now on it lists these addresses, each at port 8000. */
  put(addresses: readonly string[]): Promise<void>;
  /** It cannot be read, or what it says cannot be understood. */
  spoil(how: 'gone' | 'nonsense'): Promise<void>;
  close(): Promise<void>;
}

export function replicaListConformance(name: string, open: () => Promise<ReplicaListHarness>): void {
  describe(`replica list conformance: ${name}`, () => {
    let harness: ReplicaListHarness;
    beforeEach(async () => {
      harness = await open();
    });
    afterEach(() => harness.close());

    const read = async () => [...(await harness.list.read())].sort();

    it('gives the roots of all servers, and follows', async () => {
      await harness.put(['10.0.0.1', '10.0.0.2']);
      expect(await read()).toEqual(['http://10.0.0.1:8000', 'http://10.0.0.2:8000']);
      await harness.put(['10.0.0.2', '10.0.0.3', '10.0.0.4']);
      expect(await read()).toEqual(['http://10.0.0.2:8000', 'http://10.0.0.3:8000', 'http://10.0.0.4:8000']);
    });

    it('gives each once', async () => {
      await harness.put(['10.0.0.1', '10.0.0.1', '10.0.0.2']);
      expect(await read()).toEqual(['http://10.0.0.1:8000', 'http://10.0.0.2:8000']);
    });

    it('says which list it is when there is nobody on it', async () => {
      await harness.put([]);
      expect(await readOnce(harness.list)).toContain(harness.list.name);
    });

    it.each(['gone', 'nonsense'] as const)('fails with one line that names it where it is %s', async (how) => {
      await harness.put(['10.0.0.1']);
      await harness.spoil(how);
      const error = await harness.list.read().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(FaultError);
      const { message } = (error as FaultError).fault;
      expect(message).toContain(harness.list.name);
      expect(message).not.toContain('\n');
    });
  });
}
