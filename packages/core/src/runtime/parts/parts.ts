// The parts of a runtime and how they are joined.

import { GuessMeter } from '../budget/guess-meter.ts';
import { Leases } from '../budget/leases.ts';
import { ServiceMeter } from '../budget/service-meter.ts';
import { Queue } from '../queue/queue.ts';
import { Alarms } from './alarms.ts';
import { Flights } from './flights.ts';
import { Grouping } from './grouping.ts';
import { Inbox } from './inbox.ts';
import { guardedOptions, type RuntimeOptions } from './options.ts';
import { SearchLogs } from './search-logs.ts';
import { SearchTable } from './searches.ts';
import { Speculation } from './speculation.ts';
import { Strands } from './strands.ts';
import { TreeSeeder } from './tree-seeder.ts';

export type RuntimeParts = ReturnType<typeof makeParts>;

export function makeParts(given: RuntimeOptions) {
  const options = guardedOptions(given);
  const inbox = new Inbox(options.wake);
  const leases = new Leases(options.budget);
  const searches = new SearchTable(options);
  const queue = new Queue(leases, options.scheduler, () => searches.reconsider(), options.work);
  const alarms = new Alarms(searches);
  const logs = new SearchLogs(options);
  const grouping = new Grouping(options.embedder);
  const service = new ServiceMeter();
  const guesses = new GuessMeter();
  const flights = new Flights(options, service);
  const strands = new Strands({ leases, flights, searches, logs });
  const seeder = new TreeSeeder(strands, logs);
  const speculation = new Speculation(leases, flights, searches);
  const state = { options, inbox, searches, leases, queue, alarms, logs, grouping };
  return { ...state, flights, strands, seeder, speculation, service, guesses };
}
