// The list of replicas of a remote engine, when they come and go while it runs: one address, `file:PATH` or
// `dns:NAME:PORT`, with `?protocol=https` or `?everyMs=1000` where the usual does not suit.

import { z } from 'zod';
import { raise } from '../../base/fault.ts';

export type ReplicaAddress = { readonly protocol: 'http' | 'https'; readonly everyMs: number } & (
  | { readonly from: 'file'; readonly path: string }
  | { readonly from: 'dns'; readonly name: string; readonly port?: number }
);

/** A pod of Kubernetes that is ended leaves its service at once, and lives on for 30 s. */
const usualMs = 5000;
const shape = /^(file|dns):(?:\/\/)?([^?]+)(?:\?(.*))?$/;

export function replicaAddress(text: string): ReplicaAddress {
  const address = parsed(text);
  return address ?? raise('bad-setting', `engine.replicas is '${text}'; ${expected}`);
}

function parsed(text: string): ReplicaAddress | undefined {
  const [, from, place = '', query = ''] = shape.exec(text) ?? [];
  const { protocol = 'http', everyMs = usualMs, ...unknown } = Object.fromEntries(new URLSearchParams(query));
  const following = { protocol: protocol as ReplicaAddress['protocol'], everyMs: Number(everyMs) };
  const isFollowed = /^https?$/.test(protocol) && following.everyMs >= 100 && following.everyMs <= 3_600_000;
  if (!isFollowed || Object.keys(unknown).length > 0) return undefined;
  if (from === 'file') return { from, path: place, ...following };
  const [, name, port] = /^([\w.-]+)(?::(\d{1,5}))?$/.exec(place) ?? [];
  if (from !== 'dns' || name === undefined) return undefined;
  return { from, name, ...(port && { port: Number(port) }), ...following };
}

const expected =
  'it must be file:PATH or dns:NAME:PORT (without a port by SRV records), perhaps with ?protocol=https or ?everyMs=1000';

export const replicas = z
  .string({ error: ({ input }) => `is ${JSON.stringify(input)}; ${expected}` })
  .refine((text) => parsed(text) !== undefined, { error: ({ input }) => `is '${input}'; ${expected}` })
  .meta({
    description:
      'a list of replicas that come and go, in the place of urls: file:PATH (one URL a line), or dns:NAME:PORT, such as a headless service of Kubernetes',
  });
