// The programs of the guide to clients, as they stand there, against a server whose answers are not good enough.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { isRecognised, recogniseFor } from '../../packages/llama/src/task/recognise.ts';
import { guides } from '../support/guide-commands.ts';
import { runGateway } from '../support/running-gateway.ts';
import { saplingForm } from '../support/sapling-form.ts';
import { ScriptedVerifier } from '../support/scripted-engine.ts';

const { files } = guides.find(({ page }) => page === 'clients.md')!;
const programs = [...files].filter(([name]) => name.endsWith('.ts'));

test.each(programs)('%s shows that an answer was not accepted', async (name, text) => {
  const verifier = new ScriptedVerifier(() => 0.1);
  const { url } = await runGateway({ model: { name: 'sapling' }, verifier, form: saplingForm });
  const folder = mkdtempSync(join(tmpdir(), 'coppice-guide-clients-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(join(import.meta.dirname, '..', '..', 'node_modules'), join(folder, 'node_modules'));
  const program = text.replace('http://127.0.0.1:8181', url);
  writeFileSync(join(folder, name.replace('.ts', '.mts')), program);
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, name.replace('.ts', '.mts'))]);
  const wanted = program.match(/console\.log/g)!.length;
  expect(stdout.match(/\bunsure\b(?!: score)/g)).toHaveLength(wanted);
  expect(stdout.match(/unsure: score/g)).toHaveLength(wanted);
});

test('the shipped model knows the question of every program', () => {
  for (const [name, text] of files) {
    // Agents ask a model with tools.
    if (name === 'agent_client.py' || name === 'config.toml') continue;
    const asked = [...text.matchAll(/(?:invoke\(|stream\(|"content": |prompt: )(["'])(.*?)\1/g)].map(
      ([, , words]) => words!,
    );
    expect(asked.length, name).toBeGreaterThan(0);
    expect(asked.filter((words) => !isRecognised(recogniseFor('sapling', words)))).toEqual([]);
  }
});
