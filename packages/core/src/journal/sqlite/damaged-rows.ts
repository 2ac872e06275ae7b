// Looks for unreadable rows among unfinished searches and open documents at the start. The start ends with a line that names the row, or
// the row counts as ended. Nothing is overwritten.

import type { DatabaseSync } from 'node:sqlite';
import { raise } from '../../base/fault.ts';
import { damagedOutcome, soundDocuments, toRecord } from '../rows.ts';
import type { OpenOptions } from './open-database.ts';

export function lookAtRows(database: DatabaseSync, path: string, { damaged, onDamage }: OpenOptions): void {
  const searches = database.prepare('select * from searches where ended_ms is null order by id').all().map(toRecord);
  const spoilt = searches.filter(({ damage }) => damage !== undefined);
  const documents = damagedDocuments(database);
  const damages = [...spoilt.map(({ damage }) => damage), ...documents.map(({ damage }) => damage)];
  if (damages.length === 0) return;
  if (damaged === 'refuse') {
    database.close();
    const more = damages.length === 1 ? '' : `, and ${damages.length - 1} rows more`;
    const what = `the journal ${path} is damaged (${damages[0]}${more})`;
    raise('unavailable', `${what}; mend the row, or set journal.damaged to set-aside`);
  }
  const fail = "update searches set state = 'failed', ended_ms = ?, outcome = coalesce(outcome, ?) where id = ?";
  for (const { id, damage = '' } of spoilt) {
    database.prepare(fail).run(Date.now(), JSON.stringify(damagedOutcome(damage)), id);
    onDamage(`the journal ${path} is damaged (${damage}); the row stays as it is, and its search has failed`);
  }
  for (const { id, damage } of documents) {
    database.prepare('update documents set open = 0 where id = ?').run(id);
    onDamage(`the journal ${path} is damaged (${damage}); the row stays as it is, and is left out`);
  }
}

function damagedDocuments(database: DatabaseSync): { readonly id: string; readonly damage: string }[] {
  const found: { readonly id: string; readonly damage: string }[] = [];
  for (const row of database.prepare('select * from documents where open = 1 order by id').all())
    soundDocuments([row], (damage) => found.push({ id: String(row.id), damage }));
  return found;
}
