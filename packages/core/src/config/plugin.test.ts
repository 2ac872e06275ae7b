import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

/** In a process that has only what core brings. */
function refusalOf(config: unknown): string {
  const load = new URL('./load.ts', import.meta.url).href;
  const builtIn = new URL('../answering/models/built-in.ts', import.meta.url).href;
  const code = `
    await import('${builtIn}');
    const { checkConfig } = await import('${load}');
    try { checkConfig(${JSON.stringify(config)}); } catch (error) { console.log(error.fault.message); }`;
  return execFileSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' }).trim();
}

it('says in one line which package a kind needs that is not installed', () => {
  const model = { name: 'm', engine: { kind: 'openai', urls: ['http://127.0.0.1:1'] } };
  expect(refusalOf({ models: [{ name: 'm', engine: { kind: 'llama' } }] })).toBe(
    "models.0.engine.kind is 'llama', which needs the package @coppice/llama: npm install @coppice/llama",
  );
  expect(refusalOf({ models: [model, { ...model, verifier: { kind: 'exact' } }] })).toMatch(
    /^models\.1\.verifier\.kind is 'exact', which needs the package @coppice\/llama/,
  );
  expect(refusalOf({ models: [model], journal: { kind: 'postgres' } })).toMatch(
    /^journal\.kind is 'postgres', which needs/,
  );
  expect(refusalOf({ models: [model] })).toBe('');
});
