// `node tests/clients/outside-suites.ts lm-eval | guidellm [options of that tool]`: an evaluation and a load tool of others, unchanged, against
// `coppice serve`, each installed once under .cache. By hand: they are large, and their figures are no test. Ends with the tool's own status.
// vLLM's serving benchmark is too large to install here; where vLLM is: `vllm bench serve --backend openai-chat --base-url URL --endpoint
// /v1/chat/completions --model sapling --tokenizer FOLDER --dataset-name custom --dataset-path FILE --ignore-eos` (0.26.0: 24 of 24 answered).

import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ServedProcess } from '../support/served-process.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const shipped = join(root, 'packages', 'llama');
const cache = join(root, '.cache', 'outside-suites');

interface Suite {
  readonly packages: string;
  readonly program: string;
  /** Of `coppice serve`. */
  readonly served: readonly string[];
  /** Of the tool; makes the files that they name. */
  readonly options: (url: string) => readonly string[];
}

export const suites: Readonly<Record<string, Suite>> = {
  // The shipped word problems by its OpenAI chat model: temperature 0, stop strings with line breaks.
  'lm-eval': {
    packages: 'lm-eval[api]==0.4.13',
    program: 'lm_eval',
    served: [],
    options: (url) => {
      const there = `base_url=${url}/v1/chat/completions,num_concurrent=4,max_retries=1,tokenizer_backend=None`;
      const task = ['--tasks', 'coppice_words', '--include_path', taskFolder()];
      const model = ['--model', 'local-chat-completions', '--model_args', `model=sapling,${there}`];
      return [...model, ...task, '--apply_chat_template', '--limit', '20'];
    },
  },
  // Synthetic prompts of a fixed length, which no shipped model would take: the simulated engine.
  guidellm: {
    packages: 'guidellm==0.8.1',
    program: 'guidellm',
    served: ['--sim'],
    options: (url) => {
      const backend = ['--backend', `kind=openai_http,target=${url},model=simulated`];
      const load = ['--profile', 'kind=concurrent,streams=4', '--constraint', 'kind=max_requests,count=20'];
      const data = ['--data', 'kind=synthetic_text,prompt_tokens=64,output_tokens=32'];
      const tokenizer = ['--tokenizer', `kind=huggingface_auto,model=${tokenizerFolder()}`];
      return ['run', ...backend, ...load, ...data, ...tokenizer, '--disable-progress'];
    },
  },
};

/** A local task over the questions that ship. */
function taskFolder(): string {
  const folder = join(cache, 'tasks');
  mkdirSync(folder, { recursive: true });
  const task = {
    task: 'coppice_words',
    dataset_path: 'json',
    dataset_kwargs: { data_files: { test: join(shipped, 'tasks', 'word-problem.test.jsonl') } },
    test_split: 'test',
    output_type: 'generate_until',
    doc_to_text: '{{question}}',
    doc_to_target: '{{answer}}',
    generation_kwargs: { until: ['\n', 'Question:'], do_sample: false, temperature: 0, max_gen_toks: 256 },
    filter_list: [
      { name: 'number', filter: [{ function: 'regex', regex_pattern: '(\\d+)\\s*$' }, { function: 'take_first' }] },
    ],
    metric_list: [{ metric: 'exact_match', aggregation: 'mean', higher_is_better: true }],
  };
  // Every JSON document is one of YAML.
  writeFileSync(join(folder, 'coppice_words.yaml'), JSON.stringify(task, null, 2));
  return folder;
}

/** The shipped tokenizer as other tools load one. */
function tokenizerFolder(): string {
  const folder = join(cache, 'tokenizer');
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(shipped, 'models', 'tokenizer.json'), join(folder, 'tokenizer.json'));
  const config = { tokenizer_class: 'PreTrainedTokenizerFast', bos_token: '<s>', eos_token: '</s>' };
  writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify(config));
  return folder;
}

function installed(name: string, packages: string): string {
  const folder = join(cache, packages.replaceAll(/[^a-z0-9.-]+/g, '-'));
  const stamp = join(folder, 'complete');
  if (existsSync(stamp)) return join(folder, 'bin');
  mkdirSync(cache, { recursive: true });
  console.log(`installing ${packages}; this takes some minutes`);
  const steps = [
    ['python3', '-m', 'venv', folder],
    [join(folder, 'bin', 'pip'), 'install', '--quiet', packages],
  ] as const;
  for (const [program, ...args] of steps) {
    if (spawnSync(program, args, { stdio: 'inherit' }).status !== 0)
      throw new Error(`${name} could not be installed: ${program} ${args.join(' ')}`);
  }
  writeFileSync(stamp, '');
  return join(folder, 'bin');
}

async function run(name: string, more: readonly string[]): Promise<number> {
  const suite = suites[name];
  if (suite === undefined) {
    console.error(`there is no suite '${name}'; there are ${Object.keys(suites).join(', ')}`);
    return 2;
  }
  const { packages, program, served, options } = suite;
  const tool = join(installed(name, packages), program);
  const server = await ServedProcess.start(['--journal', ':memory:', ...served]);
  try {
    const offline = { OPENAI_API_KEY: 'unused', HF_HUB_OFFLINE: '1', HF_HOME: join(cache, 'huggingface') };
    const child = spawn(tool, [...options(server.url), ...more], {
      cwd: cache,
      env: { ...process.env, ...offline },
      stdio: 'inherit',
    });
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => resolve(code ?? 1));
    });
  } finally {
    await server.kill();
  }
}

if (import.meta.main) {
  const [name = '', ...more] = process.argv.slice(2);
  process.exitCode = await run(name, more);
}
