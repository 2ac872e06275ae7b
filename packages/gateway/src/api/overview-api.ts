// `/v1/overview` and its stream, which begins with the samples of the last minutes; `/v1/history` and `/v1/usage`. One timer sends frames
// while there are readers; another always takes samples.

import type { Cluster, LivingNode } from '@coppice/core/journal';
import { z } from 'zod';
import { readQuery } from '../http/checked-input.ts';
import { EventStream, eventText } from '../http/event-stream.ts';
import { type Exchange, writeJson } from '../http/exchange.ts';
import { type Caller, ownerSeenBy } from '../http/keys.ts';
import type { History } from '../observe/overview/history.ts';
import { mostListed, type NodeReport, sampleMs, viewJournal } from '../observe/overview/overview.ts';
import { historyJson } from '../wire/history-json.ts';
import type { ListedJson, NodeJson, OverviewJson } from '../wire/overview-json.ts';
import type { GatewayContext } from './context.ts';

const frameMs = 1000;

export class OverviewApi {
  readonly #context: GatewayContext;
  readonly #readers = new Map<EventStream, Caller>();
  readonly #sampling: NodeJS.Timeout;
  #timer: NodeJS.Timeout | undefined;
  #frames = 0;

  constructor(context: GatewayContext) {
    this.#context = context;
    this.#sampling = setInterval(() => context.overview.sample(context.searches), sampleMs).unref();
  }

  read({ response, caller }: Exchange): void {
    writeJson(response, 200, this.#shownTo(caller, this.#frame()));
  }

  follow({ response, caller }: Exchange): void {
    const release = this.#context.streams.take();
    const events = new EventStream(response, this.#context.limits);
    this.#readers.set(events, caller);
    response.on('close', () => {
      release();
      this.#readers.delete(events);
      if (this.#readers.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
    events.raw('retry: 1000\n\n');
    events.event('history', this.#context.overview.history, this.#frames);
    events.event('overview', this.#shownTo(caller, this.#frame()), this.#frames);
    this.#timer ??= setInterval(() => this.#tick(), frameMs);
  }

  close(): void {
    clearInterval(this.#timer);
    clearInterval(this.#sampling);
    for (const events of this.#readers.keys()) events.end();
  }

  #tick(): void {
    const frame = this.#frame();
    const texts = new Map<string, string>();
    for (const [events, caller] of this.#readers) {
      if (events.behind) continue;
      const key = ownerSeenBy(caller) ?? '';
      const text = texts.get(key) ?? JSON.stringify(this.#shownTo(caller, frame));
      texts.set(key, text);
      events.raw(eventText('overview', text, this.#frames));
    }
  }

  #frame(): OverviewJson {
    this.#frames += 1;
    const { overview, searches, config, journal, cluster } = this.#context;
    const frame = overview.frame(searches, config.admission.queue, viewJournal(config.journal.kind, journal));
    return cluster === undefined ? frame : withNodes(frame, cluster);
  }

  /** Admin keys see every search, other keys their own; all keys see the sums. */
  #shownTo(caller: Caller, frame: OverviewJson): OverviewJson {
    const { overview, searches, cluster } = this.#context;
    const whose = ownerSeenBy(caller);
    const elsewhere = cluster === undefined ? [] : listedElsewhere(cluster, whose);
    const listed = [...overview.listed(searches, whose), ...elsewhere].slice(0, mostListed);
    return { ...frame, searches: { ...frame.searches, listed } };
  }
}

export function readUsage({ usage }: GatewayContext, { response, caller }: Exchange): void {
  writeJson(response, 200, usage.view(ownerSeenBy(caller)));
}

export const historyQuery = z.object({ range: historyJson.shape.range.default('1h') });

export async function readHistory(
  { history }: { readonly history: History },
  { response, query, caller }: Exchange,
): Promise<void> {
  const { range } = readQuery(historyQuery, query);
  writeJson(response, 200, await history.read(range, ownerSeenBy(caller)));
}

function withNodes(frame: OverviewJson, cluster: Cluster): OverviewJson {
  const nodes = cluster.living.map((node) => viewNode(node, node.node === cluster.node));
  const others = nodes.filter(({ here }) => !here).reduce((sum, { running }) => sum + running, 0);
  return {
    ...frame,
    nodes,
    queue: { ...frame.queue, waiting: frame.queue.waiting + cluster.waiting() },
    searches: { ...frame.searches, running: frame.searches.running + others },
  };
}

function listedElsewhere(cluster: Cluster, owner: string | undefined): ListedJson[] {
  return cluster.living
    .filter(({ node }) => node !== cluster.node)
    .flatMap((node) => reportOf(node).listed ?? [])
    .filter((each) => owner === undefined || each.owner === owner)
    .map(({ row }) => row);
}

function viewNode(living: LivingNode, here: boolean): NodeJson {
  const { node: name, version, models, silentMs } = living;
  const { healthy = false, budget = { total: 0, used: 0 }, running = 0 } = reportOf(living);
  return { name, version, models, here, silent_ms: Math.round(silentMs), healthy, budget, running };
}

/** Nodes of other versions may report less. */
function reportOf({ report }: LivingNode): Partial<NodeReport> {
  return report as Partial<NodeReport>;
}
