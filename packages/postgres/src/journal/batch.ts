// Arranges writes into statements. Writes of different searches commute; those of one search do not. So a batch is cut into stages, each with
// a fixed order of statements, and a write that must come later goes to the next stage. Consecutive entries of a search share a stage. Pure.

import type { Acceptance, AppendResult, HoldableWrite } from '@coppice/core/journal';

/** In the order in which a stage runs them. */
export const writeKinds = [
  'accept',
  'claim',
  'begin',
  'outlive',
  'append',
  'finish',
  'cancel',
  'retract',
  'flush',
] as const;
export type WriteKind = (typeof writeKinds)[number];

/** A boolean, except for acceptances and entries. */
export type WriteResult = boolean | Acceptance | AppendResult;

export interface JournalWrite extends HoldableWrite {
  readonly kind: WriteKind;
  readonly search: string;
  readonly row: Readonly<Record<string, string | number | null>>;
  readonly fallback?: JournalWrite;
}

export type Stage<Write extends JournalWrite> = ReadonlyMap<WriteKind, readonly Write[]>;

export function arrangeBatch<Write extends JournalWrite>(writes: readonly Write[]): Stage<Write>[] {
  const stages: Map<WriteKind, Write[]>[] = [];
  const last = new Map<string, { readonly write: Write; readonly stage: number }>();
  for (const write of writes) {
    const before = last.get(write.search);
    const at = before === undefined ? 0 : before.stage + (mayFollow(before.write, write) ? 0 : 1);
    last.set(write.search, { write, stage: at });
    stages[at] ??= new Map();
    const group = stages[at].get(write.kind) ?? [];
    stages[at].set(write.kind, group);
    group.push(write);
  }
  return stages;
}

/** True if `write` may follow `before` within one stage. */
function mayFollow(before: JournalWrite, write: JournalWrite): boolean {
  if (before.kind === 'append' && write.kind === 'append') {
    const isNext = Number(write.row.sequence) === Number(before.row.sequence) + 1;
    return isNext && write.row.epoch === before.row.epoch;
  }
  return writeKinds.indexOf(write.kind) > writeKinds.indexOf(before.kind);
}
