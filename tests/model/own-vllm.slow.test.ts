// coppice on a vLLM of yours, on a GPU or on CPUs: COPPICE_VLLM names its address, COPPICE_VLLM_SCORER that of a causal reward
// model. It is not started here: its wheels are gigabytes. Without the address the tests are skipped and say so.

import { ownServer } from '../support/own-server.ts';

const { COPPICE_VLLM: url, COPPICE_VLLM_SCORER: scorer, COPPICE_VLLM_RUNNING: running = '1024' } = process.env;
ownServer({ name: 'vLLM', url, scorer, running: Number(running) });
