// Settings that left the product: what a file, a flag or a body that still has one is told to do instead. Two tables: what a search could
// be told, in the words of the vocabulary, and the rest of the configuration by its place. A line stands here for as long as old files may
// be around. Some of the first are still options of policies and programs, which experiments turn: never a user.

import { policyKnobs } from '../policy/knobs.ts';

const calibrated = 'coppice calibrate chooses it: leave it out';
const ofPolicy = 'the policy says when a search is boosted: leave it out';
const ofSelection = 'mcts selects by WU-PUCT with its measured constants: leave it out';
const ofAuthors = "its program has the authors' constants: leave it out";
const deepConf = 'it read the drawn token alone: take keepConfident, confidentWindow and confidentWarmup';
const unmeasured = 'it had no measured gain: leave it out';
const networking = 'the limits of connections are constants: leave it out';
const merged = 'one setting limits what is written in one piece: take answerTokens';

export const removedSettings: Readonly<Record<string, string>> = {
  beta: 'β of the score is 2: leave it out',
  lambda: 'the predictor of long searches gained nothing: leave it out',
  progress: 'the score reads completed paths: leave it out',
  preemption: 'strands are taken back as they are needed: leave it out',
  first: 'waiting searches are admitted before others are boosted: leave it out',
  chancePrune:
    'it cost accuracy: take policy safe, which ends rollouts that are unlikely to beat the best answer so far',
  lengthExit: 'long answers are no reason to give up: take tokenBudget, or an exit rule of certain',
  extend: 'speculation grows on scored steps: leave it out',
  scores: 'steps go to the verifier at once: leave it out',
  onFutile: 'every answer that is not accepted is told in one way: take onUnaccepted (best, refuse, error, escalate)',
  idleFirst: 'boosts come before speculation: leave it out; speculate says how much a search may speculate',
  positiveExit: 'every policy but vanilla ends a search that is accepted: take policy vanilla for one that does not',
  negativeExit: 'policies say whether a search gives up: take policy fast, positive+strict or positive+negative',
  settledExit: 'policy fast has it: take policy fast, and coppice calibrate --exit settled',
  firstDepthCut: calibrated,
  certainAnswers: calibrated,
  certainAgreement: calibrated,
  certainReward: calibrated,
  certainCurve: calibrated,
  certainEvery: calibrated,
  beatPrune: 'policies safe and fast have it at its measured value: leave it out',
  eagerReward: 'it trades accuracy for time: take policy fast, which has it',
  confidencePrune: deepConf,
  confidenceWindow: deepConf,
  confidenceWarmup: deepConf,
  widths: 'the policy shares idle strands: take policy safe (by worth), boost (by score) or taper (by slack)',
  elasticity: 'how wide searches get follows from measured step times and answers that change: leave it out',
  slack: ofPolicy,
  gate: ofPolicy,
  boostAt: ofPolicy,
  idleBeside: 'batches get one strand for every four of other searches: leave it out',
  ageingSeconds: 'a unit of priority is worth 60 s of waiting: leave it out',
  selection: ofSelection,
  exploration: ofSelection,
  unvisited: ofSelection,
  playedSteps: ofAuthors,
  playedWeight: ofAuthors,
  restExploration: ofAuthors,
  stepValue: ofAuthors,
  solutionSteps: ofAuthors,
  actionExploration: ofAuthors,
  balance: ofAuthors,
  rounding: ofAuthors,
  firstPaths: ofAuthors,
  cacheWeight: ofAuthors,
  varietyWeight: ofAuthors,
  probeTokens: ofAuthors,
  probeVariance: ofAuthors,
  shown: ofAuthors,
  rounds: 'aggregate divides its rollouts into four rounds: leave it out',
  firstSteps: unmeasured,
  firstStepTokens: unmeasured,
  lookahead: unmeasured,
  spread: unmeasured,
  finishTokens: merged,
  conclusionTokens: merged,
  proposalTokens: 'a list of thoughts has at most 512 tokens: leave it out',
};

/** By section, without the numbers of lists: `server.headerMs`, `engine.siblings` of a model, `keys.queue`. */
export const removedFields: Readonly<Record<string, string>> = {
  'server.heartbeatMs': 'a silent stream gets a heartbeat every 10 s: leave it out',
  'server.headerMs': networking,
  'server.requestMs': networking,
  'server.shortConnections': networking,
  'server.unreadMs': networking,
  'server.pipelined': networking,
  'server.streamBytes': networking,
  'server.addressConnections': 'a proxy limits connections of an address: leave it out',
  'keys.queue': 'of several keys each may fill half of admission.queue: leave it out',
  'limits.nodes': 'a tree has at most a node for ten tokens: set limits.tokens',
  'limits.promptChars': 'a conversation has at most two characters for each token of a search: set limits.tokens',
  'limits.messages': 'a conversation has at most 1,000 messages: leave it out',
  'limits.efforts': 'efforts are multiples of one number: set limits.mediumRollouts and limits.rolloutTokens',
  'limits.effort': 'a request that names no effort gets medium: set limits.mediumRollouts',
  'admission.backgroundDeadlineMs': 'background searches have the longest deadline: set limits.deadlineMs',
  'journal.flushMs': 'entries wait 20 ms for others to share a write with: leave it out',
  'journal.urlEnv': 'the address of the database has one variable: set DATABASE_URL',
  batches:
    'a batch has at most 10,000 requests in 32 MiB, a key 1 GiB of files, kept four times as long as searches: set journal.retentionMs',
  'telemetry.headersEnv': 'extra headers have one variable: set OTEL_EXPORTER_OTLP_HEADERS',
  'engine.siblings': 'siblings share a request wherever that saves work: leave it out',
  'engine.routingHeaders': 'a router is sent the headers that it reads by itself: leave it out',
  'engine.seed': 'the simulated answers of a question have seed 1: leave it out',
  'verifier.reading':
    "a reward model is asked whether a step is right: set verifier.good to '!' and verifier.bad to '?' for the shipped one's other reading",
  'verifier.promptFile': 'the judge reads value.txt of the folder of prompts: set prompts',
  'embedder.timeoutMs': 'a vector is waited for for 5 s: leave it out',
};

/** One line for a setting that was removed, by its name in camelCase, as the caller wrote it; undefined for all others. */
export function removalOf(name: string, written: string): string | undefined {
  return Object.hasOwn(removedSettings, name) ? `${written} was removed: ${removedSettings[name]}` : undefined;
}

/** The same for a field of the configuration, by its path. */
export function fieldRemovalOf(path: readonly PropertyKey[]): string | undefined {
  const written = path.join('.');
  const names = path.filter((each) => typeof each === 'string');
  const own = names[0] === 'models' ? names.slice(1).join('.') : names.join('.');
  if (names[0] === 'models' && names.length === 2 && Object.hasOwn(removedSettings, own))
    return removalOf(own, written);
  return Object.hasOwn(removedFields, own) ? `${written} was removed: ${removedFields[own]}` : undefined;
}

/** Options of a plan that an older version wrote, without those that are no options any more. */
export function withoutRemoved<Options extends object>(options: Options): Options {
  const isGone = (name: string) => Object.hasOwn(removedSettings, name) && !Object.hasOwn(policyKnobs, name);
  return Object.fromEntries(Object.entries(options).filter(([name]) => !isGone(name))) as Options;
}
