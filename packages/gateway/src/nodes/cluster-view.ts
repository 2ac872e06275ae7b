// The other nodes in the overview of this one, from their last reports.

import type { Cluster, LivingNode } from '@coppice/core/journal';
import type { NodeReport } from '../observe/overview/overview.ts';
import type { ListedJson, NodeJson, OverviewJson } from '../wire/overview-json.ts';

export function withNodes(frame: OverviewJson, cluster: Cluster): OverviewJson {
  const nodes = cluster.living.map((node) => viewNode(node, node.node === cluster.node));
  const others = nodes.filter(({ here }) => !here).reduce((sum, { running }) => sum + running, 0);
  return {
    ...frame,
    nodes,
    queue: { ...frame.queue, waiting: frame.queue.waiting + cluster.waiting() },
    searches: { ...frame.searches, running: frame.searches.running + others },
  };
}

export function listedElsewhere(cluster: Cluster, owner: string | undefined): ListedJson[] {
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
