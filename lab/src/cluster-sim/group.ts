// One group in virtual time, from its start to the last answer: servers, nodes, clients and faults. The same spec gives exactly the same result.

import { type Config, checkConfig } from '@coppice/core/config';
import type { Caller } from '@coppice/gateway/http';
import { QuestionModel } from '@coppice/sim/engine';
import { allKeys, arrivalsOf, floodKey, floodQuota } from './arrivals.ts';
import { Clients } from './clients.ts';
import { ClusterNode, type NodeParts } from './cluster-node.ts';
import type { GroupSpec } from './cluster-spec.ts';
import { Cores } from './cores.ts';
import { idealCosts, measuredCosts } from './costs.ts';
import { Database } from './database.ts';
import { GenerationServer } from './generation-server.ts';
import type { GroupResult } from './group-result.ts';
import { resultOf } from './group-result.ts';
import { type Machines, machinesOf } from './machines.ts';
import { Network } from './network.ts';
import { RewardServer } from './scoring-server.ts';
import { TokenTexts } from './token-texts.ts';
import { VirtualTime } from './virtual-time.ts';

/** For probes of all servers by all nodes. */
const startMs = 10_000;
const nodeRestartMs = 20_000;
const rackReplicas = 32;
const rackDownMs = 60_000;
/** Past the last arrival: what has no end by then is lost. */
const patienceMs = 900_000;
/** One node in so many dies. */
const nodesPerDeath = 8;
/** Of the machine of the benchmark. */
const benchCores = 2;

/** `tell` gets a line of progress every virtual minute. */
export function runGroup(spec: GroupSpec, tell: (line: string) => void = () => {}): Promise<GroupResult> {
  return new Group(spec).run(tell);
}

class Group {
  readonly #spec: GroupSpec;
  readonly #time = new VirtualTime();
  readonly #network = new Network(this.#time);
  readonly #texts = new TokenTexts();
  readonly #machines: Machines;
  readonly #questions: QuestionModel;
  /** Where all share one machine. */
  readonly #shared: Cores | undefined;
  readonly #servers: GenerationServer[];
  readonly #nodes: ClusterNode[] = [];
  readonly #database: Database;
  readonly #clients: Clients;
  readonly #costs;

  constructor(spec: GroupSpec) {
    this.#spec = spec;
    this.#costs = spec.capacity === 'ideal' ? idealCosts : measuredCosts;
    this.#machines = machinesOf(spec);
    this.#questions = new QuestionModel(this.#machines.profile);
    this.#shared = spec.isBench ? new Cores(benchCores) : undefined;
    this.#database = new Database(this.#time, this.#shared ?? new Cores(spec.databaseCores), this.#costs);
    const model = { name: 'simulated', questions: this.#questions, texts: this.#texts };
    this.#servers = Array.from(
      { length: spec.replicas },
      (_, at) => new GenerationServer(this.#time, model, this.#machines.gpu(at)),
    );
    this.#addServers();
    const callers = new Map(allKeys.map((name) => [name, callerOf(name)]));
    this.#clients = new Clients({
      time: this.#time,
      costs: this.#costs,
      rollouts: spec.rollouts,
      callers,
      anyNode: (luck) => this.#anyNode(luck),
      name: `group ${spec.group} of ${spec.seed}`,
    });
    this.#database.onExited = (row) => this.#clients.exited(row);
    this.#database.onEnded = ({ title }) => this.#texts.over(title ?? '');
  }

  async run(tell: (line: string) => void): Promise<GroupResult> {
    const { nodes, minutes, isSaturated } = this.#spec;
    const time = this.#time;
    const arrivals = arrivalsOf(this.#spec);
    for (let at = 0; at < nodes; at += 1) this.#startNode();
    await time.run(startMs);
    let next = 0;
    const ask = () => {
      this.#clients.ask(arrivals[next]!);
      next += 1;
      const after = arrivals[next];
      if (after !== undefined) time.at(startMs + after.atMs, ask);
    };
    if (arrivals.length > 0) time.at(startMs + arrivals[0]!.atMs, ask);
    this.#planFaults(startMs + (minutes * 60_000) / 2);
    this.#tellMinutes(tell);
    const isOver = () => next === arrivals.length && this.#clients.open === 0 && this.#database.unended === 0;
    await time.run(startMs + minutes * 60_000 + (isSaturated ? 0 : patienceMs), isOver);
    return resultOf({
      spec: this.#spec,
      startMs,
      time,
      database: this.#database,
      nodes: this.#nodes,
      servers: this.#servers,
      questions: this.#clients.questions,
    });
  }

  #tellMinutes(tell: (line: string) => void): void {
    const { group, capacity } = this.#spec;
    const every = () => {
      const { counts, unended } = this.#database;
      const minute = Math.round((this.#time.nowMs - startMs) / 60_000);
      tell(`group ${group} (${capacity}), minute ${minute}: ${counts.ended} ended, ${unended} open`);
      this.#time.after(60_000, every);
      return false;
    };
    this.#time.after(60_000, every);
  }

  #addServers(): void {
    this.#servers.forEach((server, at) => {
      this.#network.add(urlOf(at), server);
    });
    const { scorers, scorer } = this.#machines;
    for (let at = 0; at < scorers; at += 1)
      this.#network.add(scorerUrl(at), new RewardServer(this.#time, this.#questions, scorer));
  }

  #startNode(): void {
    const { seed, isBench } = this.#spec;
    const only = isBench ? this.#nodes.length : undefined;
    const parts: NodeParts = {
      time: this.#time,
      network: this.#network,
      database: this.#database,
      costs: this.#costs,
      cores: this.#shared ?? new Cores(1),
      config: configOf(this.#spec, this.#machines, only),
      seed: seed + this.#nodes.length,
      nodes: this.#nodes,
    };
    const node = new ClusterNode(`node-${this.#nodes.length}`, parts);
    this.#nodes.push(node);
    void node.start();
  }

  #anyNode(luck: number): ClusterNode | undefined {
    const ready = this.#nodes.filter(({ isReady }) => isReady);
    return ready[Math.floor(luck * ready.length)];
  }

  // ---- faults ----------------------------------------------------------------------------------------------------------

  #planFaults(peakMs: number): void {
    const { faults, group } = this.#spec;
    if (faults.includes('node')) this.#time.at(peakMs, () => this.#killNodes());
    // A rack stands in one group.
    if (faults.includes('rack') && group === 0) this.#time.at(peakMs, () => this.#dropRack());
  }

  #killNodes(): void {
    const count = Math.max(1, Math.floor(this.#spec.nodes / nodesPerDeath));
    for (const node of this.#nodes.filter(({ isReady }) => isReady).slice(0, count)) {
      node.kill();
      this.#clients.lostNode(node);
      this.#time.after(nodeRestartMs, () => this.#startNode());
    }
  }

  #dropRack(): void {
    const rack = this.#servers.slice(0, Math.min(rackReplicas, Math.ceil(this.#servers.length / 4)));
    for (const server of rack) server.goDown();
    this.#time.after(rackDownMs, () => {
      for (const server of rack) server.comeBack();
    });
  }
}

function urlOf(at: number): string {
  return `http://gpu-${at}.cluster:8000`;
}

function scorerUrl(at: number): string {
  return `http://scorer-${at}.cluster:9000/score`;
}

/** More than any load leaves waiting: what a run measures is not to be refused by a bound. */
const queue = 1_000_000;

/** What a node of the group is configured with; `only`: the one server that it has to itself. */
function configOf(
  { replicas, searches, minutes, policy }: GroupSpec,
  machines: Machines,
  only: number | undefined,
): Config {
  const { scorers, sequenceLimit, budget } = machines;
  const urls = (count: number, urlAt: (at: number) => string) =>
    only === undefined ? Array.from({ length: count }, (_, at) => urlAt(at)) : [urlAt(only)];
  const quota = { requests: floodQuota({ searches, minutes }), windowMs: 60_000 };
  const quotas: Readonly<Record<string, object>> = { [floodKey]: { quota } };
  const hash = `sha256:${'0'.repeat(64)}`;
  return checkConfig({
    models: [
      {
        name: 'm',
        engine: { kind: 'openai', urls: urls(replicas, urlOf), inFlight: sequenceLimit },
        verifier: { kind: 'prm', format: 'http', urls: urls(scorers, scorerUrl) },
        budget,
        policy,
        threshold: 0.65,
      },
    ],
    keys: allKeys.map((name) => ({ name, hash, ...quotas[name] })),
    admission: { queue },
  });
}

/** As the keyring makes it: of several keys each may fill half of the queue. */
function callerOf(name: string): Caller {
  return { name, share: 1, maxPriority: 0, queue: queue / 2, admin: false };
}
