// Guards engine, verifier and embedder. A throw fails the requests of that call; a malformed message becomes a fault; a throw that concerns
// no request is reported once per verb. Later answers to failed requests are dropped.

import { type Fault, fault } from '../../base/fault.ts';
import type { Embedder, EmbedderMessage } from '../../embedder/embedder.ts';
import type { Engine, EngineLoad, EngineMessage, RequestId } from '../../engine/engine.ts';
import type { Verifier, VerifierLoad, VerifierMessage } from '../../verifier/verifier.ts';
import { type Answerable, type Breakage, faultOf, guard, type PartKind } from './guard.ts';

type Tell = (fault: Fault) => void;

export function guardedEngine(engine: Engine, tell: Tell): Engine {
  const { capabilities, update } = engine;
  let post: (message: EngineMessage) => void = () => {};
  const call = caller('engine', capabilities, tell);
  const failAll = (ids: readonly RequestId[], reason: Fault) => {
    for (const request of ids) post({ type: 'fault', request, fault: reason });
  };
  return {
    get capabilities() {
      return engine.capabilities;
    },
    connect(given) {
      post = given;
      engine.connect((message) => call.read(message, (read) => given(soundStep(read))));
    },
    generate(requests) {
      const ids = requests.map(({ id }) => id);
      call.of(
        'generate',
        () => engine.generate(requests),
        (reason) => failAll(ids, reason),
      );
    },
    cancel: (ids) =>
      call.of(
        'cancel',
        () => engine.cancel(ids),
        () => failAll(ids, gone),
        true,
      ),
    ...(update && { update: (id, urgency) => call.of('update', () => update.call(engine, id, urgency)) }),
    release: (search) => call.of('release', () => engine.release(search)),
    load: () => {
      const troubled = (trouble: string): EngineLoad => ({ ...noLoad, healthy: false, trouble });
      return call.load(() => engine.load(), troubled);
    },
    close: () => engine.close(),
  };
}

export function guardedVerifier(verifier: Verifier, tell: Tell): Verifier {
  const { capabilities, update } = verifier;
  let post: (message: VerifierMessage) => void = () => {};
  const call = caller('verifier', capabilities, tell);
  const failAll = (ids: readonly RequestId[], reason: Fault) => {
    for (const request of ids) post({ type: 'fault', request, fault: reason });
  };
  return {
    get capabilities() {
      return verifier.capabilities;
    },
    connect(given) {
      post = given;
      verifier.connect((message) => call.read(message, (read) => given(soundScore(read))));
    },
    score(requests) {
      const ids = requests.map(({ id }) => id);
      call.of(
        'score',
        () => verifier.score(requests),
        (reason) => failAll(ids, reason),
      );
    },
    cancel: (ids) =>
      call.of(
        'cancel',
        () => verifier.cancel(ids),
        () => failAll(ids, gone),
        true,
      ),
    ...(update && { update: (id, urgency) => call.of('update', () => update.call(verifier, id, urgency)) }),
    release: (search) => call.of('release', () => verifier.release(search)),
    load: () => {
      const troubled = (trouble: string): VerifierLoad => ({ waiting: 0, healthy: false, trouble });
      return call.load(() => verifier.load(), troubled);
    },
    close: () => verifier.close(),
  };
}

export function guardedEmbedder(embedder: Embedder, tell: Tell): Embedder {
  let post: (message: EmbedderMessage) => void = () => {};
  const call = caller('embedder', embedder, tell);
  return {
    name: embedder.name,
    connect(given) {
      post = given;
      embedder.connect((message) => call.read(message, (read) => given(soundVector(read))));
    },
    embed(requests) {
      const failAll = (reason: Fault) => {
        for (const { id } of requests) post({ type: 'fault', request: id, fault: reason });
      };
      call.of('embed', () => embedder.embed(requests), failAll, true);
    },
    load: () => embedder.load(),
    close: () => embedder.close(),
  };
}

const gone = fault('cancelled', 'the request was cancelled');

const noLoad = { runningSequences: 0, waitingSequences: 0, sequenceLimit: undefined, stepMs: undefined };

function caller(kind: PartKind, part: { readonly name: string }, tell: Tell) {
  const told = new Set<string>();
  const once = (breakage: Breakage) => {
    if (told.has(breakage.verb)) return;
    told.add(breakage.verb);
    tell(faultOf(breakage));
  };
  return {
    /** `fail` answers the requests; `alsoTold` reports the breakage even so. */
    of(verb: string, act: () => void, fail?: (reason: Fault) => void, alsoTold = fail === undefined): void {
      const call: Answerable = {
        broke(breakage) {
          if (alsoTold) once(breakage);
          fail?.(faultOf(breakage));
        },
      };
      guard(call, kind, part, verb, act, undefined);
    },
    load<Load extends object>(act: () => Load, troubled: (trouble: string) => Load): Load {
      let trouble = `${kind} '${part.name}' gave no load`;
      const call: Answerable = {
        broke(breakage) {
          once(breakage);
          trouble = faultOf(breakage).message;
        },
      };
      return guard<Load | undefined>(call, kind, part, 'load', act, undefined) ?? troubled(trouble);
    },
    /** A value that is no message names no request: it is reported and dropped. */
    read<Message>(message: Message, take: (message: Message) => void): void {
      if (typeof message === 'object' && message !== null) return take(message);
      once({
        part: `${kind} '${part.name}'`,
        verb: 'post',
        message: `it posted ${typeof message}, which is no message`,
      });
    },
  };
}

function unsound({ request }: { readonly request: number }, what: string) {
  return { type: 'fault', request, fault: fault('protocol', what) } as const;
}

function soundStep(message: EngineMessage): EngineMessage {
  if (message.type === 'fault') return isObject(message.fault) ? message : { ...message, fault: unnamed };
  if (message.type !== 'step') return message;
  if (!isObject(message.step) || typeof message.step.text !== 'string')
    return unsound(message, 'the engine gave a step without text');
  return isObject(message.usage) ? message : unsound(message, 'the engine gave a step without usage');
}

function soundScore(message: VerifierMessage): VerifierMessage {
  if (message.type === 'fault') return isObject(message.fault) ? message : { ...message, fault: unnamed };
  if (message.type !== 'score' || isObject(message.usage)) return message;
  return unsound(message, 'the verifier gave a score without usage');
}

function soundVector(message: EmbedderMessage): EmbedderMessage {
  if (message.type !== 'vector' || (Array.isArray(message.vector) && message.vector.every(Number.isFinite)))
    return message;
  return unsound(message, 'the embedder gave what is no vector');
}

const unnamed = fault('protocol', 'a fault without a reason');

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
