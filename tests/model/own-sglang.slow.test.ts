// coppice on an SGLang of yours: COPPICE_SGLANG names its address, COPPICE_SGLANG_SCORER that of a causal reward model. It
// needs --enable-priority-scheduling. Without the address the tests are skipped and say so.

import { ownServer } from '../support/own-server.ts';

const { COPPICE_SGLANG: url, COPPICE_SGLANG_SCORER: scorer } = process.env;
ownServer({ name: 'SGLang', url, scorer });
