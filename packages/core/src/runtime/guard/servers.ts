// Guards engine, verifier and embedder. A throw fails the requests of that call; a malformed message becomes a fault; a throw that concerns
// no request is reported once per verb. Later answers to failed requests are dropped.

import { type Fault, fault } from '../../base/fault.ts';
import type { Embedder, EmbedderMessage } from '../../embedder/embedder.ts';
import type { Engine, EngineLoad, EngineMessage, GenerateRequest, RequestId } from '../../engine/engine.ts';
import type { ScoreRequest, Verifier, VerifierLoad, VerifierMessage } from '../../verifier/verifier.ts';
import { type Answerable, type Breakage, faultOf, guard, type PartKind } from './guard.ts';

type Tell = (fault: Fault) => void;

export function guardedEngine(engine: Engine, tell: Tell): Engine {
  const { guarded, ask } = guardedServer<EngineMessage, EngineLoad>('engine', engine, soundStep, noLoad, tell);
  return Object.assign(guarded, {
    generate: (requests: readonly GenerateRequest[]) => ask('generate', requests, () => engine.generate(requests)),
  });
}

export function guardedVerifier(verifier: Verifier, tell: Tell): Verifier {
  const idle = { waiting: 0 };
  const { guarded, ask } = guardedServer<VerifierMessage, VerifierLoad>('verifier', verifier, soundScore, idle, tell);
  return Object.assign(guarded, {
    score: (requests: readonly ScoreRequest[]) => ask('score', requests, () => verifier.score(requests)),
  });
}

interface Failure {
  readonly type: 'fault';
  readonly request: RequestId;
  readonly fault: Fault;
}

interface Server<Message, Load> extends Pick<Engine, 'cancel' | 'update' | 'release' | 'close'> {
  readonly capabilities: Engine['capabilities'] & Verifier['capabilities'];
  connect(post: (message: Message | Failure) => void): void;
  load(): Load;
}

/** All that engines and verifiers have in common; `ask` fails the requests of a call that throws. */
function guardedServer<Message, Load extends object>(
  kind: PartKind,
  server: Omit<Server<Message, Load>, 'capabilities'> & { readonly capabilities: { readonly name: string } },
  sound: (message: Message) => Message,
  idle: Omit<Load, 'healthy' | 'trouble'>,
  tell: Tell,
) {
  const { update } = server;
  let post: (message: Failure) => void = () => {};
  const call = caller(kind, server.capabilities, tell);
  const failAll = (ids: readonly RequestId[], reason: Fault) => {
    for (const request of ids) post({ type: 'fault', request, fault: reason });
  };
  const guarded: Server<Message, Load> = {
    get capabilities() {
      return server.capabilities as Server<Message, Load>['capabilities'];
    },
    connect(given) {
      post = given;
      server.connect((message) => call.read(message, (read) => given(sound(read as Message))));
    },
    cancel: (ids) => {
      const fail = () => failAll(ids, gone);
      call.of('cancel', () => server.cancel(ids), fail, true);
    },
    ...(update && { update: (id, urgency) => call.of('update', () => update.call(server, id, urgency)) }),
    release: (search) => call.of('release', () => server.release(search)),
    load: () => {
      const troubled = (trouble: string) => ({ ...idle, healthy: false, trouble }) as unknown as Load;
      return call.load(() => server.load(), troubled);
    },
    close: () => server.close(),
  };
  const ask = (verb: string, requests: readonly { readonly id: RequestId }[], act: () => void) => {
    const ids = requests.map(({ id }) => id);
    call.of(verb, act, (reason) => failAll(ids, reason));
  };
  return { guarded, ask };
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
