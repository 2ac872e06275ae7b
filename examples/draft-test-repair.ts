// Draft, test, repair: a function tests whole answers, and the model rewrites a wrong one with the function's feedback.
// With the address of a server (http://127.0.0.1:8000/v1) that server's model answers, else the simulated one.

import { prove, verifierCases } from '@coppice/core/testing';
import { defineVerifier, type ModelSettings, openModel, search } from 'coppice';

const tested = defineVerifier(async (_question, steps) => {
  const said = /answer\D*(\d+)/i.exec(steps.at(-1) ?? '')?.[1];
  if (said !== undefined && Number(said) % 2 === 0) return 1;
  return { reward: said === undefined ? 0 : 0.3, feedback: `${said ?? 'Nothing'} is not even.` };
});

const [, , url] = process.argv;
const engine: ModelSettings['engine'] = url ? { kind: 'openai', urls: [url] } : { kind: 'sim', speed: 1000 };
const model = await openModel({ engine, verifier: tested, threshold: 1 });
const found = await search('Name an even number as "answer N".', { model, program: 'refine', rollouts: 32 });
const repairs = found.tree.nodes.filter(({ step }) => step?.turn !== undefined);
console.log(`${found.exit.kind} with score ${found.score}, ${repairs.length} repairs of ${found.rollouts} answers`);
await model.close();

await prove(verifierCases(async () => ({ verifier: tested })));
