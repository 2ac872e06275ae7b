// Replicas listed by DNS: all addresses of a name with one port, or the targets of its SRV records, which need the full name.

import { lookup, resolveSrv } from 'node:dns/promises';
import { checked, listOf, type ReplicaList } from './replica-list.ts';

interface DnsOptions {
  readonly name: string;
  readonly port?: number | undefined;
  readonly protocol: 'http' | 'https';
}

interface DnsResolver {
  addresses(name: string): Promise<readonly string[]>;
  services(name: string): Promise<readonly { readonly name: string; readonly port: number }[]>;
}

const systemResolver: DnsResolver = {
  addresses: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
  services: resolveSrv,
};

export function dnsList({ name: asked, port, protocol }: DnsOptions, resolver = systemResolver): ReplicaList {
  const name = port === undefined ? `DNS (SRV) ${asked}` : `DNS ${asked}:${port}`;
  const places = async () => {
    if (port === undefined) return (await resolver.services(asked)).map((each) => `${hostOf(each.name)}:${each.port}`);
    return (await resolver.addresses(asked)).map((address) => `${hostOf(address)}:${port}`);
  };
  return listOf(name, async () => checked((await places()).map((place) => `${protocol}://${place}`).sort(), name));
}

function hostOf(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}
