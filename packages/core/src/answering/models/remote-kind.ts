// Engines of kind `openai`: servers that speak the OpenAI protocol, named in the configuration or listed while they come and go.

import { z } from 'zod';
import { raise } from '../../base/fault.ts';
import type { EngineKind, Opening, OpenParts, Upstream } from '../../config/plugin.ts';
import { keyIn, keyVariable, urls } from '../../config/sections.ts';
import type { ReplicaList } from '../../engine/remote/list/replica-list.ts';
import { routerNames } from '../../engine/remote/replica/router-hints.ts';
import { type ReplicaAddress, replicaAddress, replicas } from './replica-address.ts';

const schema = z
  .strictObject({
    kind: z.literal('openai').meta({ description: 'vLLM, SGLang, llama-server or any OpenAI-compatible server' }),
    urls: urls
      .max(1024)
      .optional()
      .meta({ description: 'base URLs of replicas of one model, such as http://127.0.0.1:8000/v1' }),
    replicas: replicas.optional(),
    model: z.string().min(1).optional().meta({ description: 'as the server calls it; its only model where unset' }),
    dialect: z
      .enum(['vllm', 'sglang', 'llama-server', 'openai'])
      .optional()
      .meta({ description: 'found by probing where unset' }),
    apiKeyEnv: keyVariable,
    inFlight: z
      .int()
      .min(1)
      .max(65_536)
      .optional()
      .meta({ description: 'sequences per server; read from it, or found by trial, where unset' }),
    router: z.enum(routerNames).default('none').meta({
      description:
        'what stands behind the one url: a router is told which requests belong together, and routes; with none, or several urls, coppice does',
    }),
  })
  .refine(({ urls, replicas: listed }) => (urls === undefined) !== (listed === undefined), {
    error: 'has neither urls nor replicas, or both; give urls, or the list that replicas are from',
  });

export type RemoteSection = z.output<typeof schema>;

export const remoteKind: EngineKind<RemoteSection> = {
  kind: 'openai',
  schema,
  open: openRemote,
};

async function openRemote(options: RemoteSection, { config, environment, log }: Opening): Promise<OpenParts> {
  const { openRemoteEngine } = await import('../../engine/remote/open-engine.ts');
  const key = keyIn(options.apiKeyEnv, environment);
  const { urls: named = [], model, dialect, inFlight, router } = options;
  const listed = options.replicas === undefined ? undefined : replicaAddress(options.replicas);
  if (listed !== undefined && config.verifier.kind === 'judge' && config.verifier.urls === undefined)
    raise(
      'bad-setting',
      `models: '${config.name}' has replicas that are listed, and a judge without urls; give its urls`,
    );
  const engine = await openRemoteEngine({
    servers: named.map((url) => ({ url, ...key })),
    ...(listed && { listed: { list: await openList(listed), everyMs: listed.everyMs, ...key } }),
    observe: ({ type, ...fields }) =>
      log[goodNews.has(type) ? 'info' : 'warn'](type, { model: config.name, ...fields }),
    model,
    dialect,
    inFlight,
    router,
  });
  const headers: Record<string, string> = key.apiKey === undefined ? {} : { authorization: `Bearer ${key.apiKey}` };
  const upstream: Upstream = {
    get urls() {
      return engine.usable().map((url) => `${url}/v1`);
    },
    // The server's own name, for requests that go to it unchanged.
    model: engine.model,
    headers,
  };
  return { engine, upstream, note: engine.capabilities.name };
}

/** Events of replicas that need no operator. */
const goodNews: ReadonlySet<string> = new Set([
  'replica-up',
  'replica-joined',
  'replica-leaving',
  'replica-left',
  'replicas-listed',
]);

async function openList(wanted: ReplicaAddress): Promise<ReplicaList> {
  return wanted.from === 'file'
    ? (await import('../../engine/remote/list/file.ts')).fileList(wanted.path)
    : (await import('../../engine/remote/list/dns.ts')).dnsList(wanted);
}
