// Children on their way: generated, then scored. Turns expansions into requests and answers into outcomes, exactly one per child.

import { Counter } from '../../base/arithmetic.ts';
import { assert } from '../../base/assert.ts';
import { type Fault, fault } from '../../base/fault.ts';
import {
  type Custody,
  type EngineMessage,
  type GenerateRequest,
  type GenerationUsage,
  isAnswer,
  type Lane,
  type PathStep,
  type RequestId,
  readablePath,
} from '../../engine/engine.ts';
import type { Expansion, Outcome } from '../../program/program.ts';
import type { Ghost, NodeId, ProbeReply } from '../../tree/events.ts';
import { drawKey, formKey, nodeKey } from '../../tree/keys.ts';
import { namedSteps } from '../../tree/readings/named-steps.ts';
import { mannerAt, type Step } from '../../tree/step.ts';
import type { VerifierMessage } from '../../verifier/verifier.ts';
import type { ServerKind, ServiceMeter } from '../budget/service-meter.ts';
import { guard } from '../guard/guard.ts';
import { ScoreBatcher } from '../scores/score-batcher.ts';
import type { Flight, Search } from '../search/search.ts';
import { faultOutcome, isBelowGhost, type StepScore, stepOutcome } from '../steps/outcomes.ts';
import { cutFeedback, problemWithScore, problemWithStep, recorded, stepFor } from '../steps/replies.ts';
import {
  generateRequest,
  pathAfter,
  pathFor,
  readsEachLogprob,
  scoredStep,
  shapeBelow,
  stepNeeds,
  stepPath,
  withoutLogprobs,
} from '../steps/step-needs.ts';
import { drawsWhole, isScored, stepsOf, wholeTokensOf } from '../steps/whole-draws.ts';
import type { RuntimeOptions } from './options.ts';

/** `flight` is missing for a ghost that became a child without a request. */
export interface Arrival {
  readonly search: Search;
  readonly outcome: Outcome;
  readonly flight?: Flight;
}

type FlightsOptions = Pick<
  RuntimeOptions,
  'engine' | 'verifier' | 'scheduler' | 'requestTimeoutMs' | 'watches' | 'onPrompt' | 'onToken' | 'onFault'
>;

export class Flights {
  readonly #options: FlightsOptions;
  readonly #meter: ServiceMeter;
  readonly #ids = new Counter(1);
  readonly #byId = new Map<RequestId, Flight>();
  /** When a server took each request, in that order; held requests have no clock. */
  readonly #clocks = new Map<RequestId, number>();
  readonly #arrivals: Arrival[] = [];
  readonly #toGenerate: GenerateRequest[] = [];
  readonly #scores: ScoreBatcher;
  readonly #toCancel: Flight[] = [];
  readonly #toUpdate: Flight[] = [];

  constructor(options: FlightsOptions, meter: ServiceMeter) {
    this.#options = options;
    this.#meter = meter;
    this.#scores = new ScoreBatcher(options.verifier?.capabilities);
  }

  get size(): number {
    return this.#byId.size;
  }

  get hasArrivals(): boolean {
    return this.#arrivals.length > 0;
  }

  takeArrivals(): Arrival[] {
    return this.#arrivals.splice(0);
  }

  start(search: Search, expansion: Expansion, indices: readonly number[], lane: Lane, nowMs: number): void {
    const { node, manner } = expansion;
    if (manner?.read) return this.#read(search, expansion, lane, nowMs);
    const isProbe = expansion.probe === true;
    const named = manner?.proposed && !isProbe ? namedSteps(node) : undefined;
    const shape = isProbe ? undefined : shapeBelow(search.request, node);
    const { engine, verifier, watches, onToken } = this.#options;
    const isWatched = !isProbe && (watches?.(search.id) ?? onToken !== undefined);
    const usual = stepNeeds(search.request, verifier, isWatched);
    const needs = manner?.entropy ? { ...usual, entropy: true } : usual;
    const common = manner?.choices === undefined ? pathFor(search, node, manner, shape?.words, isProbe) : undefined;
    const isPlain = !isProbe && manner === undefined;
    const mayBeWhole = isPlain && drawsWhole(search, needs, engine.capabilities);
    let first: RequestId | undefined;
    for (const index of indices) {
      const known = isPlain ? search.drawn.take(node.key) : named?.[index];
      if (known !== undefined || named !== undefined) {
        assert(known !== undefined, `no probe at node ${node.id} has named a step ${index}`);
        this.#passOn(this.#known(search, expansion, index, stepPath(node), lane), known, nowMs);
        continue;
      }
      const own = mannerAt(manner, index);
      const path = common ?? pathFor(search, node, own, shape?.words, isProbe);
      const wholeTokens = mayBeWhole ? wholeTokensOf(search, node) : undefined;
      const what = { manner: own, shape, isProbe, wholeTokens, lane, step: undefined };
      const flight = this.#add({ search, ...placeIn(expansion, index, path), ...what }, nowMs);
      first ??= flight.id;
      const priority = this.#priorityOf(search, path);
      this.#toGenerate.push({ ...generateRequest(flight, expansion), priority, expansion: first, needs });
    }
  }

  /** An end that its program wants the verifier to read. Its tokens were counted when they were drawn. */
  #read(search: Search, expansion: Expansion, lane: Lane, nowMs: number): void {
    const { node, indices } = expansion;
    const flight = this.#known(search, expansion, indices[0]!, stepPath(node.parent!), lane);
    this.#sendToVerifier({ ...flight, isProbe: true }, { ...node.step!, tokens: 0 }, nowMs);
  }

  /** A child that a probe has named, that is part of a whole draw, or that is only read. */
  #known(search: Search, expansion: Expansion, index: number, path: readonly PathStep[], lane: Lane): Flight {
    const { manner } = expansion;
    const what = { manner, shape: undefined, isProbe: false, lane, step: undefined };
    return { search, ...placeIn(expansion, index, path), ...what, id: this.#ids.take(), ...untold };
  }

  promote(search: Search, node: NodeId, { index, form, step, reward, feedback, answer }: Ghost): void {
    search.ledger.adopted(step.tokens);
    this.#arrivals.push({ search, outcome: { ok: true, node, index, form, step, reward, feedback, answer } });
  }

  answerProbe(search: Search, node: NodeId, index: number, reply: ProbeReply): void {
    search.ledger.adopted(reply.tokens);
    this.#arrivals.push({ search, outcome: { probe: true, node, index, reply } });
  }

  takeToken({ request, tokens, text }: EngineMessage & { type: 'token' }): void {
    const flight = this.#byId.get(request);
    if (flight === undefined || flight.cancelled) return;
    const { search, node, index } = flight;
    search.ledger.streamed(tokens - flight.streamedTokens);
    flight.streamedTokens = tokens;
    const known = isBelowGhost(flight) ? search.tree.nodeOf(node.key) : node;
    const { onToken } = this.#options;
    if (known === undefined || flight.isProbe || text === '' || onToken === undefined) return;
    const token = { search: search.id, node: known.id, index, text };
    guard(search, 'listener', onToken, 'onToken', () => onToken(token), undefined);
  }

  takeFromEngine(message: EngineMessage, nowMs: number): void {
    const flight = this.#byId.get(message.request);
    if (flight === undefined || flight.step !== undefined || !isAnswer(message)) return;
    const { search } = flight;
    const problem = message.type === 'fault' ? message.fault : problemWithStep(message.step, flight);
    const kept = problem === undefined && !flight.cancelled;
    if (message.usage !== undefined) {
      search.ledger.generated(message.usage, kept, flight.streamedTokens, flight.lane);
      search.spending.generated(message.usage, flight.manner?.model);
      if (message.type === 'step') this.#options.onPrompt?.(search.id, promptTokens(message.usage, flight.path));
    }
    const tokens = kept && message.type === 'step' ? message.step.tokens : undefined;
    if (flight.adopted) search.ledger.adopted(tokens ?? 0);
    this.#meter.ended('engine', flight.id, nowMs, tokens);
    this.#forget(flight.id);
    if (flight.cancelled) return;
    if (problem !== undefined) return this.#fail(flight, problem);
    assert(message.type === 'step', 'only a step has no problem');
    const isWhole = readsEachLogprob(search.request, this.#options.verifier);
    const given = isWhole ? message.step : withoutLogprobs(message.step);
    if (flight.wholeTokens !== undefined) return this.#passOnWhole(flight, given, nowMs);
    const step = flight.isProbe ? given : recorded(flight, message, stepFor(flight, given));
    this.#passOn(flight, step, nowMs);
  }

  /** Its first step is told now, and each of the others when the program asks for it. */
  #passOnWhole(flight: Flight, whole: Step, nowMs: number): void {
    const { search, node } = flight;
    const [first, ...others] = stepsOf(whole, search.request);
    search.drawn.keep(nodeKey(node.key, first!), others);
    this.#passOn(flight, first!, nowMs);
  }

  #passOn(flight: Flight, step: Step, nowMs: number): void {
    if (isScored(flight, step)) this.#sendToVerifier(flight, step, nowMs);
    else this.#succeed(flight, step);
  }

  takeFromVerifier(message: VerifierMessage, nowMs: number): void {
    const flight = this.#byId.get(message.request);
    if (flight?.step === undefined || !isAnswer(message)) return;
    const tokens = message.type === 'score' && !flight.cancelled ? flight.step.tokens : undefined;
    this.#scores.scored(nowMs);
    this.#meter.ended('verifier', flight.id, nowMs, tokens);
    this.#forget(flight.id);
    if (message.type === 'score') {
      const { computedTokens, cachedTokens } = message.usage;
      flight.search.ledger.scored(message.usage);
      this.#meter.read(computedTokens + cachedTokens);
    }
    if (flight.cancelled) return;
    const problem = message.type === 'fault' ? message.fault : problemWithScore(message);
    if (problem !== undefined) return this.#fail(flight, problem);
    assert(message.type === 'score', 'only a score has no problem');
    this.#succeed(flight, flight.step, { ...message, feedback: cutFeedback(message.feedback) });
  }

  adopt(flight: Flight): void {
    flight.lane = 'primary';
    flight.adopted = true;
    if (flight.step !== undefined) flight.search.ledger.adopted(flight.step.tokens);
    if (!this.#scores.adopt(flight.id)) this.#toUpdate.push(flight);
  }

  cancel(flight: Flight): void {
    assert(!flight.cancelled, 'a flight is cancelled once');
    flight.cancelled = true;
    flight.search.flights.delete(flight.draw);
    if (flight.step !== undefined) flight.search.ledger.discarded(flight.step.tokens, flight.lane);
    if (this.#scores.drop(flight.id)) this.#forget(flight.id);
    else this.#toCancel.push(flight);
  }

  expire(nowMs: number): void {
    const { requestTimeoutMs } = this.#options;
    if (requestTimeoutMs === undefined) return;
    for (const [id, sinceMs] of this.#clocks) {
      // The same sum as in nextExpiryMs: a difference could round to just below and never fall due.
      if (nowMs < sinceMs + requestTimeoutMs) return;
      const flight = this.#byId.get(id)!;
      if (this.#goesOn(flight, nowMs)) continue;
      this.#forget(id);
      this.#meter.ended(placeOf(flight), id, nowMs, undefined);
      if (flight.cancelled) continue;
      this.#toCancel.push(flight);
      const where = placeOf(flight) === 'engine' ? engineOf(flight) : 'verifier';
      this.#fail(flight, fault('timeout', `no answer from the ${where} in ${requestTimeoutMs} ms (requestTimeoutMs)`));
    }
  }

  /** A whole draw has the time of all its steps, and a step that is an answer of its own that of all its parts; one that grows is slow, not lost. */
  #goesOn(flight: Flight, nowMs: number): boolean {
    const { stepTokens } = flight.search.request;
    const { wholeTokens = stepTokens, step } = flight;
    flight.timeouts += 1;
    const hasGrown = flight.streamedTokens > flight.heardTokens;
    flight.heardTokens = flight.streamedTokens;
    const hasTime = flight.timeouts * Math.min(stepTokens, timedTokens) < wholeTokens;
    const goesOn = step === undefined && (hasGrown || hasTime);
    if (goesOn) this.restartTimeout({ type: 'taken', request: flight.id }, nowMs);
    return goesOn;
  }

  nextExpiryMs(): number | undefined {
    const { requestTimeoutMs } = this.#options;
    if (requestTimeoutMs === undefined) return undefined;
    for (const sinceMs of this.#clocks.values()) return sinceMs + requestTimeoutMs;
    return undefined;
  }

  get scoresDueMs(): number | undefined {
    return this.#scores.dueMs;
  }

  dispatch(nowMs: number): void {
    const { engine, verifier } = this.#options;
    const cancel = this.#toCancel.splice(0);
    const scores = this.#scores.take(nowMs).filter((request) => this.#isWanted(request.id));
    const requests = this.#toGenerate.splice(0).filter((request) => this.#isWanted(request.id));
    const atEngine = cancel.filter((flight) => flight.step === undefined).map((flight) => flight.id);
    const atVerifier = cancel.filter((flight) => flight.step !== undefined).map((flight) => flight.id);
    if (atEngine.length > 0) engine.cancel(atEngine);
    if (atVerifier.length > 0) verifier?.cancel(atVerifier);
    for (const { id } of scores) {
      if (this.#clocks.has(id)) continue;
      this.#clocks.set(id, nowMs);
      this.#meter.started('verifier', id, nowMs);
    }
    if (scores.length > 0) verifier?.score(scores);
    if (requests.length > 0) engine.generate(requests);
    this.#tellUpdated();
  }

  #tellUpdated(): void {
    for (const { id, step, lane, search, path, cancelled } of this.#toUpdate.splice(0)) {
      if (cancelled || !this.#byId.has(id)) continue;
      const { engine, verifier } = this.#options;
      (step === undefined ? engine : verifier)?.update?.(id, { lane, priority: this.#priorityOf(search, path) });
    }
  }

  #priorityOf({ request, urgency }: Search, path: readonly PathStep[]): number {
    const { priority } = request;
    const tokens = path.reduce((sum, { step }) => sum + step.tokens, 0);
    return this.#options.scheduler.order?.priority?.(priority, tokens) ?? urgency ?? priority;
  }

  reorder(search: Search): void {
    for (const flight of search.flights.values()) if (!this.#scores.holds(flight.id)) this.#toUpdate.push(flight);
  }

  #isWanted(id: RequestId): boolean {
    const flight = this.#byId.get(id);
    if (flight?.cancelled) {
      this.#meter.ended(placeOf(flight), id, 0, undefined);
      this.#forget(id);
    }
    return flight !== undefined && !flight.cancelled;
  }

  restartTimeout({ type, request }: Custody, nowMs: number): void {
    if (!this.#byId.has(request)) return;
    this.#clocks.delete(request);
    if (type === 'taken') this.#clocks.set(request, nowMs);
  }

  #forget(id: RequestId): void {
    const flight = this.#byId.get(id);
    if (flight !== undefined) flight.search.unanswered -= 1;
    this.#byId.delete(id);
    this.#clocks.delete(id);
    this.#scores.answered(id);
  }

  #add(flight: Omit<Flight, 'id' | keyof typeof untold>, nowMs: number): Flight {
    const added: Flight = { ...flight, id: this.#ids.take(), ...untold };
    this.#byId.set(added.id, added);
    added.search.unanswered += 1;
    this.#clocks.set(added.id, nowMs);
    this.#meter.started(placeOf(added), added.id, nowMs);
    added.search.flights.set(added.draw, added);
    return added;
  }

  #sendToVerifier(generated: Flight, step: Step, nowMs: number): void {
    const { manner } = generated;
    const node = manner?.read ? generated.node.parent! : generated.node;
    const key = nodeKey(node.key, step);
    const { id, search, index, lane } = this.#add({ ...generated, step }, nowMs);
    const { prompt, tests } = search.request;
    // Words that were put to the model are not scored, and no score rests on them.
    const path = readablePath(pathAfter(node, manner?.after), search.request.model);
    const parent = path.at(-1)?.key ?? node.key;
    const priority = this.#priorityOf(search, path);
    const given = tests === undefined ? {} : { tests };
    const scored = scoredStep(search.request, manner?.read ? generated.node.step! : step);
    const request = { id, search: search.id, prompt, parent, index, path, step: scored, lane, priority, ...given };
    this.#scores.add(request, key);
    if (!this.#scores.holds(id)) return;
    this.#clocks.delete(id);
    this.#meter.ended('verifier', id, nowMs, undefined);
  }

  #succeed(flight: Flight, step: Step, scoring?: StepScore): void {
    this.#arrivals.push({ search: flight.search, flight, outcome: stepOutcome(flight, step, scoring) });
  }

  #fail(flight: Flight, problem: Fault): void {
    const { search, step, lane } = flight;
    if (step !== undefined) search.ledger.discarded(step.tokens, lane);
    this.#options.onFault?.(search.id, problem);
    this.#arrivals.push({ search, flight, outcome: faultOutcome(flight, problem) });
  }
}

/** Tokens that any engine writes within a timeout: the longest steps but those of answers that are one step. */
const timedTokens = 1024;
const untold = { cancelled: false, streamedTokens: 0, heardTokens: 0, timeouts: 0 };

/** Tokens of the prompt: those that the engine read, less the path. */
function promptTokens({ computedTokens, cachedTokens }: GenerationUsage, path: readonly PathStep[]): number {
  return path.reduce((left, { step }) => left - step.tokens, computedTokens + cachedTokens);
}

function placeIn({ node, manner, sampling }: Expansion, index: number, path: readonly PathStep[]) {
  const form = formKey(sampling, manner);
  return { node, index, form, draw: drawKey(node.key, index, form), path };
}

function placeOf({ step }: Flight): ServerKind {
  return step === undefined ? 'engine' : 'verifier';
}

function engineOf({ manner }: Flight): string {
  return manner?.model === undefined ? 'engine' : `engine of model '${manner.model}'`;
}
