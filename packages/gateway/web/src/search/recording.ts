// Writes a search as a single HTML file: the replay page with the log inside as inert JSON. `<` is escaped, so that no text of a model can
// end its element or begin another.

import type { LoggedEvent } from '@coppice/core/log';
import type { WholeSearchJson } from '../../../src/wire/search-json.ts';

export interface SearchExport {
  readonly coppice: 1;
  readonly search: WholeSearchJson;
  readonly log: readonly LoggedEvent[];
}

const place = '<script type="application/json" id="recording">null</script>';

export function exportRecording(template: string, search: WholeSearchJson, log: readonly LoggedEvent[]): string {
  const recording: SearchExport = { coppice: 1, search, log };
  const json = JSON.stringify(recording).replaceAll('<', '\\u003c');
  if (!template.includes(place)) throw new Error('the template has no place for a recording');
  return template.replace(place, () => place.replace('null', () => json));
}

export function readRecording(json: string): SearchExport {
  const recording = JSON.parse(json) as SearchExport | null;
  if (recording?.coppice !== 1 || !Array.isArray(recording.log))
    throw new Error('this file holds no recording of a search');
  return recording;
}
