// The plug-in of the embedded engine: models that ship with coppice, GGUF files and their reward models, and the checkers of the shipped
// tasks. The engine itself is loaded only when a model is opened.

import { fileURLToPath } from 'node:url';
import { lastAsked, type PrmSection, prmKind } from '@coppice/core/answering';
import {
  type EngineKind,
  type KindSection,
  plainSection,
  registerPlugin,
  type ShippedModel,
  type VerifierKind,
} from '@coppice/core/config';
import type { Prompt } from '@coppice/core/tree';
import { makeVerifier } from '@coppice/core/verifier';
import { answeredBy, shippedDefaults } from './open/default-models.ts';
import { type EmbeddedSection, embeddedSection } from './open/embedded-section.ts';
import { isShipped, modelPath, rewardModelOf, shapeOf } from './shipped-models.ts';
import { exact } from './task/exact-verifier.ts';
import { isRecognised, recogniseFor, tasks } from './task/recognise.ts';

const questions = fileURLToPath(new URL('../tasks', import.meta.url));

const embeddedKind: EngineKind<EmbeddedSection> = {
  kind: 'llama',
  schema: embeddedSection,
  defaults: ({ model = 'sapling' }) => ({ ...(typeof model === 'string' && shapeOf(model)) }),
  shipped: (model) => (isShipped(model) ? shippedModel(model) : undefined),
  models: shippedDefaults,
  open: async (own, opening) => (await import('./open/embedded-model.ts')).openEmbeddedModel(own, opening),
};

function shippedModel(name: string): ShippedModel {
  return {
    path: modelPath(name),
    verifier: verifierSection(rewardModelOf(name)),
    form: (asked) => saplingPrompt(name, asked),
    answers: answeredBy(name),
    questions: `${questions}/${taskFiles[name] ?? 'countdown'}.test.jsonl`,
  };
}

const taskFiles: Readonly<Record<string, string>> = { 'sapling-ledger': 'ledger', 'sapling-sudoku': 'sudoku' };

function verifierSection(reward: string): KindSection {
  return reward === 'exact' || reward === 'none' ? { kind: reward } : { kind: 'prm', model: reward };
}

/**
 * The question in the form of the shipped models' training: the question and a newline, as text and not as chat. They take a single
 * question, so only the last one of a conversation counts.
 */
function saplingPrompt(model: string, asked: Prompt): Prompt | { readonly reason: string } {
  const found = recogniseFor(model, lastAsked(asked));
  return isRecognised(found) ? { kind: 'text', text: `${found.question}\n` } : { reason: found.message };
}

/** A reward model on a server, or a GGUF file in this process beside a generator on a server. */
const pairedPrm: VerifierKind<PrmSection> = {
  ...prmKind,
  async open(own, opening, parts) {
    // Servers do not serve shipped models: use the server's own model name.
    const { model, ...unnamed } = own;
    if (model === undefined || isShipped(model)) return prmKind.open(unnamed, opening, parts);
    if (own.urls !== undefined) return prmKind.open(own, opening, parts);
    return (await import('./open/embedded-model.ts')).openPairedPrm({ ...own, model }, opening);
  },
};

registerPlugin({
  name: '@coppice/llama',
  engines: [embeddedKind],
  verifiers: [
    pairedPrm,
    {
      kind: 'exact',
      schema: plainSection('exact', 'the checkers of the shipped tasks, on the embedded engine'),
      engine: 'llama',
      open: async () => ({ verifier: makeVerifier(exact) }),
    },
  ],
  tasks,
  questions,
});

export { modelPath, rewardModelOf, tasks };
