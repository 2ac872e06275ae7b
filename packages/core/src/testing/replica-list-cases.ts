// The suite that every list of replicas passes, whichever system keeps it. Nothing here depends on how the list is read, only on the
// contract of engine/remote/list/replica-list.ts.

import assert from 'node:assert/strict';
import { FaultError } from '../base/fault.ts';
import { readOnce } from '../engine/remote/list/followed-list.ts';
import type { ReplicaList } from '../engine/remote/list/replica-list.ts';
import { type Checks, type ConformanceCase, casesOf, closeAfter, type Skips } from './case/conformance-case.ts';
import { same } from './case/same.ts';

export interface ReplicaListHarness {
  readonly list: ReplicaList;
  /** From now on it lists these addresses, each at port 8000. */
  put(addresses: readonly string[]): Promise<void>;
  /** It cannot be read, or what it says cannot be understood. */
  spoil(how: 'gone' | 'nonsense'): Promise<void>;
  close(): Promise<void>;
}

/** `open` gives a fresh list for each case. */
export function replicaListCases(
  open: () => Promise<ReplicaListHarness>,
  skips: Skips = {},
): readonly ConformanceCase[] {
  const attempt = async (check: (harness: ReplicaListHarness) => void | Promise<void>) => {
    const harness = await open();
    await closeAfter(
      () => check(harness),
      () => harness.close(),
    );
  };
  return casesOf(checks, attempt, skips);
}

const checks: Checks<ReplicaListHarness> = {
  'gives the roots of all servers, and follows': async (harness) => {
    await lists(harness, ['10.0.0.1', '10.0.0.2']);
    await lists(harness, ['10.0.0.2', '10.0.0.3', '10.0.0.4']);
  },

  'gives each once': (harness) => lists(harness, ['10.0.0.1', '10.0.0.1', '10.0.0.2']),

  'says which list it is when there is nobody on it': async (harness) => {
    const { list } = harness;
    await harness.put([]);
    const said = await readOnce(list);
    const isNamed = typeof said === 'string' && said.includes(list.name);
    assert.ok(isNamed, `what is said of an empty list lacks its name '${list.name}': ${said}`);
  },

  ...spoiltCheck('gone'),
  ...spoiltCheck('nonsense'),
};

async function lists(harness: ReplicaListHarness, addresses: readonly string[]): Promise<void> {
  await harness.put(addresses);
  const roots = [...new Set(addresses)].map((address) => `http://${address}:8000`);
  same([...(await harness.list.read())].sort(), roots, 'the roots');
}

function spoiltCheck(how: 'gone' | 'nonsense'): Checks<ReplicaListHarness> {
  return {
    [`fails with one line that names it where it is ${how}`]: async (harness) => {
      const { list } = harness;
      await harness.put(['10.0.0.1']);
      await harness.spoil(how);
      const error = await list.read().catch((reason: unknown) => reason);
      assert.ok(error instanceof FaultError, `it fails with a FaultError, not with ${error}`);
      const { message } = error.fault;
      assert.ok(message.includes(list.name), `the fault lacks the name '${list.name}': ${message}`);
      assert.ok(!message.includes('\n'), `the fault has more than one line: ${message}`);
    },
  };
}
