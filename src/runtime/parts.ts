// The parts of a runtime, of which each verb of the loop picks those it needs.

import type { Alarms } from './alarms.ts';
import type { Flights } from './flights.ts';
import type { Grouping } from './groups/grouping.ts';
import type { Inbox } from './inbox.ts';
import type { RuntimeOptions } from './options.ts';
import type { Planter } from './planter.ts';
import type { GuessMeter } from './queue/guess-meter.ts';
import type { Queue } from './queue/queue.ts';
import type { Roster } from './roster.ts';
import type { Search } from './search/search.ts';
import type { SearchLogs } from './search-logs.ts';
import type { Speculation } from './speculation.ts';
import type { Strands } from './strands.ts';

export interface RuntimeParts {
  /** Guarded. */
  readonly options: RuntimeOptions;
  readonly inbox: Inbox;
  readonly roster: Roster;
  /** Searches that wait, and their turns. */
  readonly queue: Queue<Search>;
  readonly alarms: Alarms;
  readonly logs: SearchLogs;
  readonly grouping: Grouping<Search>;
  readonly flights: Flights;
  readonly strands: Strands;
  readonly planter: Planter;
  readonly speculation: Speculation;
  readonly guesses: GuessMeter;
}
