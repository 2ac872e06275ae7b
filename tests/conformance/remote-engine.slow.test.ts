// The remote engine passes the engine suite in every dialect, against servers that speak it, with each stream cut into
// pieces of a few bytes.

import { openRemoteEngine } from '../../packages/core/src/engine/remote/open-engine.ts';
import type { RemoteEngineOptions } from '../../packages/core/src/engine/remote/options.ts';
import type { EngineHarness } from '../../packages/core/src/testing/index.ts';
import type { Prompt } from '../../packages/core/src/tree/step.ts';
import { LlamaTestServer } from '../servers/llama-server.ts';
import { OllamaServer } from '../servers/ollama-server.ts';
import { PlainServer } from '../servers/plain-server.ts';
import type { TestServer } from '../servers/server.ts';
import { SglangServer } from '../servers/sglang-server.ts';
import { VllmServer } from '../servers/vllm-server.ts';
import { engineConformance } from '../support/conformance.ts';

const chat: Prompt = { kind: 'chat', messages: [{ role: 'user', content: 'How many trees are in the wood?' }] };

async function open(
  servers: readonly TestServer[],
  options: Partial<RemoteEngineOptions> = {},
  prompt: Prompt = chat,
): Promise<EngineHarness> {
  for (const server of servers) await server.listen();
  const engine = await openRemoteEngine({ servers: servers.map(({ url }) => ({ url })), ...options });
  return {
    engine,
    work: () => new Promise((resolve) => setTimeout(resolve, 1)),
    close: async () => {
      await engine.close();
      for (const server of servers) await server.close();
    },
    prompt,
    delimiters: ['\n\n'],
    maxTokens: 64,
  };
}

engineConformance('vllm', () => open([new VllmServer({ fragmentBytes: 5 })]));
engineConformance('vllm, five delimiters, so that we cut', async () => ({
  ...(await open([new VllmServer()])),
  delimiters: ['\n\n', '###', '@@@', '%%%', '$$$'],
}));
engineConformance('sglang', () => open([new SglangServer({ fragmentBytes: 7, deterministic: true })]));
engineConformance('sglang, incremental streams', () => open([new SglangServer({ incremental: true })]));
engineConformance('llama-server', () => open([new LlamaTestServer({ fragmentBytes: 3 })]));
engineConformance('openai, chat', () => open([new PlainServer({ fragmentBytes: 11 })]));
engineConformance('openai, chat, as Ollama has it', () => open([new OllamaServer({ fragmentBytes: 11 })]));
engineConformance('openai, text', () => open([new PlainServer()], {}, { kind: 'text', text: 'Question: how many?\n' }));
