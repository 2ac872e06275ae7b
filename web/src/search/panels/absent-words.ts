// Which models a search asks for nothing more, and why, in one line of the page. Pure.

import type { SearchFold } from '../../../../src/log/fold.ts';
import { absenceText } from '../../../../src/tree/absences.ts';

/** Empty where all answer. */
export function absentWords({ tree }: SearchFold): string {
  const { all = [], isTotal = false } = tree?.absences ?? {};
  if (all.length === 0) return '';
  const others = isTotal ? 'No other model is left.' : 'Other models write in their place.';
  return `Absent: ${absenceText(all)}. ${others}`;
}
