// Reads bodies, and bounds the memory of all incomplete ones: above the bound it cuts the one that has been silent longest. A client that
// sends is never cut for one that does not.

import type { IncomingMessage } from 'node:http';
import { ApiError } from './api-error.ts';

/** Overhead of a piece: a body may come byte by byte. */
const pieceBytes = 256;

export class BodyRoom {
  readonly #mostBytes: number;
  readonly #cut: (request: IncomingMessage) => void;
  readonly #held = new Map<IncomingMessage, number>();
  #bytes = 0;

  constructor(mostBytes: number, cut: (request: IncomingMessage) => void) {
    this.#mostBytes = mostBytes;
    this.#cut = cut;
  }

  async read(request: IncomingMessage, limitBytes: number, setting?: string): Promise<Buffer> {
    const by = setting === undefined ? '' : ` (${setting})`;
    const tooLarge = () => new ApiError('body_too_large', `the body is larger than ${limitBytes} bytes${by}`);
    if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge();
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > limitBytes) throw tooLarge();
        chunks.push(chunk);
        this.#hold(request, size + pieceBytes * chunks.length);
      }
      return Buffer.concat(chunks);
    } finally {
      this.#leave(request);
      // Frees the bytes now. V8 would collect them long after: cut bodies grew a process by three times what it held.
      for (const chunk of chunks) free(chunk);
    }
  }

  #hold(request: IncomingMessage, size: number): void {
    this.#leave(request);
    this.#held.set(request, size);
    this.#bytes += size;
    for (const silent of this.#held.keys()) {
      if (this.#bytes <= this.#mostBytes) return;
      this.#leave(silent);
      this.#cut(silent);
    }
  }

  #leave(request: IncomingMessage): void {
    this.#bytes -= this.#held.get(request) ?? 0;
    this.#held.delete(request);
  }
}

/** Leaves alone what shares its memory with other buffers. */
function free({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
