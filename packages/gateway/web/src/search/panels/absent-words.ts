// Makes one line about the models that a search no longer asks, and why. Pure.

import type { SearchFold } from '@coppice/core/log';
import { absenceText } from '@coppice/core/tree';

export function absentWords({ tree }: SearchFold): string {
  const { all = [], isTotal = false } = tree?.absences ?? {};
  if (all.length === 0) return '';
  const others = isTotal ? 'No other model is left.' : 'Other models write in their place.';
  return `Absent: ${absenceText(all)}. ${others}`;
}
