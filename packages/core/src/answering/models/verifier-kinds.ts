// The kinds of verifiers that core brings: reward models and judges on servers, commands, the confidence of the engine, none. Each
// implementation is loaded only when it is used.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { FaultError, raise } from '../../base/fault.ts';
import { whole } from '../../config/knob.ts';
import type { Opening, OpenParts, OpenVerifier, VerifierKind } from '../../config/plugin.ts';
import { keyIn, keyVariable, plainSection, urls } from '../../config/sections.ts';
import { commandDefaults, sandboxKinds } from '../../verifier/command/sandbox.ts';
import { makeVerifier } from '../../verifier/definition.ts';
import { UnreadEnd } from '../../verifier/prm/unread-end.ts';
import { probeSteps, probeWarning } from '../../verifier/probe-steps.ts';
import { sharedServerWarning } from '../../verifier/remote/shared-server.ts';
import type { Verifier } from '../../verifier/verifier.ts';

const prmSchema = z.strictObject({
  kind: z.literal('prm').meta({
    description:
      'a process reward model: a shipped one, a GGUF file (beside any engine), a LoRA adapter of the embedded generator, or a server',
  }),
  model: z.string().min(1).optional().meta({
    description:
      "name or path for the embedded engine, of a GGUF file or of the folder of an adapter (sapling-prm where unset); the server's model name for a remote one",
  }),
  urls: urls
    .max(1024)
    .optional()
    .meta({ description: 'of a remote reward model, one per replica; `http` takes the whole address' }),
  format: z.enum(['qwen-prm', 'math-shepherd', 'rlhflow', 'plain', 'http']).default('qwen-prm').meta({
    description:
      'of a remote one: what its prompts look like; `plain`: question and steps, a line each; `http`: a scorer of your own',
  }),
  apiKeyEnv: keyVariable,
});

export type PrmSection = z.output<typeof prmSchema>;

const judgeSchema = z.strictObject({
  kind: z.literal('judge').meta({ description: 'a language model that rates each step; slow, and no probability' }),
  urls: urls.max(64).optional().meta({ description: 'servers of the judge; those of the engine where unset' }),
  model: z.string().min(1).optional().meta({ description: 'as the server calls it; its first where unset' }),
  apiKeyEnv: keyVariable,
});

type JudgeSection = z.output<typeof judgeSchema>;

const commandSchema = z.strictObject({
  kind: z.literal('command').meta({
    description: 'a process of yours, or tests of functions, judges whole answers: JSON in, reward and feedback out',
  }),
  command: z.array(z.string().max(4096)).min(1).max(64).optional().meta({
    description: 'program and arguments; gets question, answer and steps, and writes {"reward", "feedback"}',
  }),
  language: z.literal('python').optional().meta({ description: 'in the place of a command: runs tests of functions' }),
  clientTests: z.boolean().default(false).meta({
    description: 'clients may send tests with a request (coppice.tests): code of theirs then runs on this machine',
  }),
  sandbox: z.enum(sandboxKinds).default('bubblewrap').meta({
    description: 'limits: without bubblewrap, code of answers has your network and files; on a machine to throw away',
  }),
  readable: z.array(z.string().min(1)).max(64).default([]).meta({
    description: "files and folders that the process may read beside the system's programs and its own arguments",
  }),
  timeoutMs: whole(
    commandDefaults.timeoutMs,
    100,
    3_600_000,
    'ms',
    'of one answer; an answer that takes longer is worth 0',
  ),
  memoryMiB: whole(commandDefaults.memoryMiB, 16, 1_048_576, 'MiB', 'of all processes of one run'),
});

export type CommandSection = z.output<typeof commandSchema>;

export const prmKind: VerifierKind<PrmSection> = { kind: 'prm', schema: prmSchema, open: openPrm };

export const verifierKinds: readonly VerifierKind[] = [
  {
    kind: 'none',
    schema: plainSection('none', 'self-consistency with confidence, and the answer says so'),
    open: async () => ({}),
  },
  {
    kind: 'confidence',
    schema: plainSection('confidence', 'from the log probabilities of the engine itself'),
    open: async () => ({
      verifier: makeVerifier((await import('../../verifier/confidence/confidence-verifier.ts')).confidence),
    }),
  },
  prmKind,
  { kind: 'judge', schema: judgeSchema, open: openJudge } satisfies VerifierKind<JudgeSection>,
  { kind: 'command', schema: commandSchema, open: openCommand } satisfies VerifierKind<CommandSection>,
];

async function openPrm(own: PrmSection, { config, environment }: Opening, parts: OpenParts): Promise<OpenVerifier> {
  const { openRemoteVerifier } = await import('../../verifier/remote/open-verifier.ts');
  const remote = remoteOptions(own, own.urls, { config, environment });
  const verifier = await openRemoteVerifier({ ...remote, kind: own.format });
  const shared = sharedWarnings(own, parts);
  // A scorer of one's own knows what it wants.
  if (own.format === 'http') return { verifier, warnings: shared };
  const tried = await triedRemote(own, verifier, config.delimiters[0]!);
  return { ...tried, warnings: [...shared, ...tried.warnings] };
}

function sharedWarnings({ urls: verifiers = [], format: kind }: PrmSection, { engine, upstream }: OpenParts): string[] {
  if (upstream === undefined) return [];
  const dialect = engine.capabilities.name;
  const warning = sharedServerWarning({ dialect, engines: upstream.urls, verifiers, kind });
  return warning === undefined ? [] : [warning];
}

/** A server that has not scored eight lines by then is busy or loading; `doctor` waits longer. */
const probeMs = 15_000;
const remedy =
  'give a process reward model, or the verdicts and the marker it was trained with (reward-model.json beside its weights)';

/** Tried whenever it is opened. A server that gives no scores now is no reason not to start. */
async function triedRemote(own: PrmSection, verifier: Verifier, delimiter: string): Promise<TriedVerifier> {
  const name = `the reward model at ${own.urls?.[0]} (${own.format})`;
  try {
    return await triedReward(name, verifier, delimiter, probeMs);
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    const warning = `${name} could not be tried: ${error.fault.message}; 'coppice doctor' tries it again`;
    return { verifier: new UnreadEnd(verifier), warnings: [warning] };
  }
}

type TriedVerifier = Required<OpenVerifier>;

/** Tries a reward model on plainly right and wrong steps. One that cannot tell them apart gets a line, and no weight before an audit. */
export async function triedReward(
  name: string,
  verifier: Verifier,
  delimiter: string,
  timeoutMs?: number,
): Promise<TriedVerifier> {
  const warning = probeWarning(name, await probeSteps(verifier, delimiter, timeoutMs), remedy);
  if (warning === undefined) return { verifier: new UnreadEnd(verifier), warnings: [] };
  return { verifier: new UnreadEnd(verifier, { ...verifier.capabilities, trust: 0 }), warnings: [warning] };
}

/** A judge may share the engine's own servers. */
async function openJudge(own: JudgeSection, opening: Opening): Promise<OpenVerifier> {
  const { openRemoteVerifier } = await import('../../verifier/remote/open-verifier.ts');
  const { engine, prompts } = opening.config;
  const remote = remoteOptions(own, own.urls ?? (engine.urls as string[] | undefined), opening);
  const promptFile = join(prompts ?? '', 'value.txt');
  const judge = prompts !== undefined && existsSync(promptFile) ? { promptFile } : {};
  return { verifier: new UnreadEnd(await openRemoteVerifier({ ...remote, kind: 'judge', ...judge })) };
}

function remoteOptions(
  { apiKeyEnv, model }: PrmSection | JudgeSection,
  servers: readonly string[] | undefined,
  { config, environment }: Pick<Opening, 'config' | 'environment'>,
) {
  const { name, requestMs, aggregation } = config;
  if (servers === undefined) {
    const remedy = 'give the urls of its server, or as model the path of a GGUF file (package @coppice/llama)';
    return raise('bad-setting', `models: '${name}' has a verifier without urls; ${remedy}`);
  }
  const key = keyIn(apiKeyEnv, environment);
  const keyed = servers.map((url) => ({ url, ...key }));
  return { servers: keyed, timeoutMs: requestMs, ...(aggregation && { aggregation }), ...(model && { model }) };
}

/** Tests of clients are refused where a process cannot be shut in. */
async function openCommand(own: CommandSection, { config: { name } }: Opening): Promise<OpenVerifier> {
  const { CommandVerifier } = await import('../../verifier/command/command-verifier.ts');
  const { kind: _, command, language, clientTests, ...limits } = own;
  if ((command === undefined) === (language === undefined))
    return raise(
      'bad-setting',
      `models: '${name}' has a verifier of kind 'command'; give it either command or language`,
    );
  const verifier = new CommandVerifier({ command: command ?? language!, ...limits });
  if (clientTests && !verifier.isContained)
    return raise(
      'unsupported',
      `verifier.clientTests is on for '${name}', and this system cannot shut in what clients send: ${verifier.note}`,
    );
  return { verifier };
}
