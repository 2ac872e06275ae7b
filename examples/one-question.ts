// One question, one call. The simulated model answers at once, and its answer means nothing; `openModel('sapling')` opens the model
// that ships with coppice, and `{ kind: 'openai', urls: ['http://127.0.0.1:8000/v1'] }` a server.

import { openModel, search } from 'coppice';

const model = await openModel({ engine: { kind: 'sim', speed: 100 }, verifier: { kind: 'sim' }, threshold: 0.65 });
const found = await search('What is 17 times 23?', { model, rollouts: 16, seed: 7 });
console.log(`${found.exit.kind} by ${found.program}: ${found.answer}, score ${found.score?.toFixed(2)}`);
console.log(`${found.steps.length} steps, ${found.tree.nodes.length} nodes, ${found.rollouts} rollouts`);
await model.close();
