// A name server on loopback that knows one name, with its addresses and SRV records. RFC 1035, and RFC 2782 for SRV.

import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';

const typeA = 1;
const typeSrv = 33;
const nameError = 3;
const serverFailure = 2;

export class DnsServer {
  addresses: readonly string[] = [];
  isBroken = false;
  readonly #socket = createSocket('udp4');

  async listen(): Promise<Resolver> {
    this.#socket.on('message', (query, { port, address }) => this.#socket.send(this.#answer(query), port, address));
    await new Promise<void>((resolve) => this.#socket.bind(0, '127.0.0.1', resolve));
    const resolver = new Resolver({ timeout: 500, tries: 1 });
    resolver.setServers([`127.0.0.1:${this.#socket.address().port}`]);
    return resolver;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#socket.close(() => resolve()));
  }

  #answer(query: Buffer): Buffer {
    const end = query.indexOf(0, 12) + 1;
    const question = query.subarray(12, end + 4);
    const records = this.isBroken ? [] : this.addresses.map((each) => record(query.readUInt16BE(end), each));
    const failure = this.isBroken ? serverFailure : nameError;
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(0x8180 | (records.length === 0 ? failure : 0), 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    return Buffer.concat([head, question, ...records]);
  }
}

/** The address of the name, or the service at port 8000 of a host named by its address. */
function record(type: number, address: string): Buffer {
  const data =
    type === typeSrv ? Buffer.concat([Buffer.from([0, 0, 0, 0, 0x1f, 0x40]), labels(address)]) : octets(address);
  const head = Buffer.from([0xc0, 0x0c, 0, type === typeSrv ? typeSrv : typeA, 0, 1, 0, 0, 0, 1, 0, data.length]);
  return Buffer.concat([head, data]);
}

function octets(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number));
}

function labels(name: string): Buffer {
  return Buffer.concat([
    ...name.split('.').map((each) => Buffer.from([each.length, ...Buffer.from(each)])),
    Buffer.from([0]),
  ]);
}
