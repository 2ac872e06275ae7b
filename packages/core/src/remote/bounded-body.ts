// A body that is kept up to a limit: no server can fill our memory.

import { type Fault, FaultError, fault } from '../base/fault.ts';

/** Small pieces take a hundred times their size each. */
const mostPieces = 1024;

export class BoundedBody {
  readonly #limitBytes: number;
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  add(piece: Uint8Array): boolean {
    this.#bytes += piece.length;
    if (this.#bytes <= this.#limitBytes) this.#pieces.push(piece);
    if (this.#pieces.length > mostPieces) this.#pieces = [Buffer.concat(this.#pieces)];
    return this.#bytes <= this.#limitBytes;
  }

  text(): string {
    return Buffer.concat(this.#pieces).toString();
  }
}

export function tooMuch(where: string, limitBytes: number): Fault {
  return fault('protocol', `${where} answers with more than ${limitBytes} bytes, too many for what was asked`);
}

export async function readBody(answer: Response, limitBytes: number, where: string): Promise<string> {
  const body = new BoundedBody(limitBytes);
  // Leaving the loop closes the connection.
  for await (const chunk of answer.body ?? []) if (!body.add(chunk)) throw new FaultError(tooMuch(where, limitBytes));
  return body.text();
}
