// llama.cpp's own server with a real model, from the Python wheel `xllamacpp`, started as in docs/remote-engines.md.

import { spawn } from 'node:child_process';
import { once } from 'node:events';

const program = `
import sys, time
sys.path.insert(0, sys.argv[1])
import xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[2]
params.port, params.n_parallel, params.n_ctx = 0, 4, 4096
params.cpuparams.n_threads = 1
params.embedding = len(sys.argv) > 3
server = xllamacpp.Server(params)
print('listening', server.listening_address, flush=True)
time.sleep(1e9)
`;

export interface LlamaCppServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** `packages`: the folder that holds the wheel; `embeds`: the model makes embeddings. Resolves when the model is loaded. */
export async function startLlamaServer(packages: string, model: string, embeds = false): Promise<LlamaCppServer> {
  const args = ['-c', program, packages, model, ...(embeds ? ['embeds'] : [])];
  const child = spawn('python3', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (piece) => {
      said += piece;
      const [, address] = /listening (\S+)/.exec(said) ?? [];
      if (address !== undefined) resolve(address);
    });
    child.once('exit', (code) => reject(new Error(`xllamacpp ended with ${code}`)));
  });
  while (
    !(await fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return { url, stop };
}
