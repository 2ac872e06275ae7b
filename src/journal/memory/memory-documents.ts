// Documents of a process that keeps nothing on disk.

import type {
  DocumentChange,
  DocumentKind,
  DocumentPart,
  DocumentQuery,
  Documents,
  KeptDocument,
  NewDocument,
} from '../documents.ts';

interface HeldDocument {
  document: KeptDocument;
  readonly parts: Map<number, string>;
}

export class MemoryDocuments implements Documents {
  readonly #held = new Map<string, HeldDocument>();

  async add(document: NewDocument, parts: readonly string[] = []): Promise<void> {
    this.#held.set(document.id, { document: { ...document, revision: 0 }, parts: new Map(parts.entries()) });
  }

  async find(id: string): Promise<KeptDocument | undefined> {
    return this.#held.get(id)?.document;
  }

  async list({ kind, owner, before = '~', limit }: DocumentQuery): Promise<KeptDocument[]> {
    const wanted = this.#of(kind).filter((each) => each.id < before && (owner === undefined || each.owner === owner));
    return wanted.reverse().slice(0, limit);
  }

  async opened(kind: DocumentKind): Promise<KeptDocument[]> {
    return this.#of(kind).filter(({ open }) => open);
  }

  async change(id: string, revision: number, change: DocumentChange): Promise<boolean> {
    const held = this.#held.get(id);
    if (held?.document.revision !== revision) return false;
    held.document = { ...held.document, ...change, revision: revision + 1 };
    return true;
  }

  async addPart(id: string, part: number, text: string): Promise<boolean> {
    const parts = this.#held.get(id)?.parts;
    if (parts === undefined || parts.has(part)) return false;
    parts.set(part, text);
    return true;
  }

  async parts(id: string, after: number, limit: number): Promise<DocumentPart[]> {
    const numbers = (await this.partNumbers(id)).filter((part) => part > after).slice(0, limit);
    return numbers.map((part) => ({ part, text: this.#held.get(id)?.parts.get(part) ?? '' }));
  }

  async partNumbers(id: string): Promise<number[]> {
    return [...(this.#held.get(id)?.parts.keys() ?? [])].sort((a, b) => a - b);
  }

  async remove(id: string): Promise<boolean> {
    return this.#held.delete(id);
  }

  async expire(beforeMs: number, atMost: number): Promise<number> {
    const all = Array.from(this.#held.values(), ({ document }) => document);
    const gone = all.filter(({ open, expiresMs }) => !open && expiresMs !== undefined && expiresMs < beforeMs);
    for (const { id } of gone.slice(0, atMost)) this.#held.delete(id);
    return Math.min(gone.length, atMost);
  }

  /** Oldest first. */
  #of(kind: DocumentKind): KeptDocument[] {
    const all = Array.from(this.#held.values(), ({ document }) => document);
    return all.filter((each) => each.kind === kind).sort((a, b) => (a.id < b.id ? -1 : 1));
  }
}
