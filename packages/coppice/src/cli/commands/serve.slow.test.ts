import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { ServedProcess } from '../../../../../tests/support/served-process.ts';
import { loadConfig } from '../../../../core/src/config/load.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'coppice-serve-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function serve(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    const options = { cwd: folder, env: { ...process.env, ...env } };
    execFile(process.execPath, [main, 'serve', ...args], options, (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), out, err }),
    );
  });
}

describe('coppice serve', () => {
  test('prints an example that it accepts, a schema, and the configuration in force', async () => {
    const example = await serve(['--print-example']);
    const file = join(folder, 'example.json');
    writeFileSync(file, example.out);
    const printed = await serve(['--config', file, '--print-config', '--port', '1234'], {
      COPPICE__SERVER__SHUTDOWN_MS: '777',
    });
    expect(printed.code).toBe(0);
    expect(JSON.parse(printed.out).server).toMatchObject({ port: 1234, shutdownMs: 777 });
    expect(JSON.parse((await serve(['--print-schema'])).out)).toHaveProperty('properties.models');
  });

  test('serves every shipped model that answers questions, by name, and no foreign name', async () => {
    const { models, server } = JSON.parse((await serve(['--print-config'])).out);
    expect(models.map(({ name }: { readonly name: string }) => name)).toEqual([
      'sapling',
      'sapling-sudoku',
      'sapling-ledger',
    ]);
    expect(server.foreignNames).toBe('refuse');
  });

  test('refuses --sim if a file names other models', async () => {
    const file = join(folder, 'models.json');
    writeFileSync(file, JSON.stringify({ models: [{ name: 'mine', engine: { kind: 'llama' } }] }));
    const { code, err } = await serve(['--sim', '--config', file, '--print-config']);
    expect(code).toBe(2);
    expect(err).toMatch(/^coppice: --sim: .*models\.json or the environment configures models \('mine'\)/);
    expect((await serve(['--sim', '--print-config'])).code).toBe(0);
  });

  test('makes a key whose line the configuration accepts', async () => {
    const { out } = await serve(['--new-key', 'ann']);
    const [, key] = /^ {2}(cpk_\S+)$/m.exec(out) ?? [];
    const [, line] = /^ {2}(\{.*\})$/m.exec(out) ?? [];
    expect(key).toHaveLength(47);
    const base = { models: [{ name: 'm', engine: { kind: 'sim' } }], keys: [JSON.parse(line ?? '')] };
    expect(loadConfig({ base }).keys[0]?.name).toBe('ann');
  });

  test('refuses wrong input in one line, with status 2', async () => {
    for (const [args, complaint] of [
      [['--set', 'server.prot=1'], /prot/],
      [['--set', 'server.host=0.0.0.0'], /loopback/],
      [['--config', 'gone.json'], /gone\.json/],
      [['--nonsense'], /nonsense/],
      [['--new-key', 'My team'], /--new-key 'My team' is no name of a key/],
      [['--sim', '--set', 'models.0.verifier.kind=confidence'], /verifier/],
    ] as const) {
      const { code, err } = await serve(args);
      expect(code).toBe(2);
      expect(err.trim().split('\n').at(-1)).toMatch(complaint);
    }
  });

  test('ends with one line if the journal cannot be made, for any reason', async () => {
    const file = join(folder, 'no-folder');
    writeFileSync(file, '');
    for (const path of ['/proc/none/below/j.db', join(file, 'j.db'), join(file, 'below', 'j.db'), folder]) {
      const { code, err } = await serve(['--sim', '--journal', path]);
      expect([code, err.trim().split('\n')]).toEqual([1, [expect.stringMatching(/^coppice: .* set journal\.path/)]]);
    }
  });

  test('says in one line that other users can read the journal', async () => {
    const path = join(folder, 'open.db');
    writeFileSync(path, '', { mode: 0o644 });
    chmodSync(folder, 0o755);
    const served = await ServedProcess.start(['--sim', '--journal', path]);
    expect(served.errors).toContain(`other users of this machine can read ${path}`);
    await served.stop();
  });

  test('serves, and shuts down cleanly on a signal', async () => {
    const served = await ServedProcess.start([
      '--sim',
      '--journal',
      join(folder, 'j.db'),
      '--set',
      'models.0.engine.speed=50',
    ]);
    const body = { model: 'simulated', messages: [{ role: 'user', content: 'hello' }] };
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${served.url}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(200);
    const second = await ServedProcess.start(['--sim', '--journal', join(folder, 'j.db')]).catch(String);
    expect(String(second)).toMatch(/in use by another process/);
    const { code, err } = await serve(['--sim', '--journal', ':memory:', '--port', new URL(served.url).port]);
    expect([code, err]).toEqual([2, expect.stringMatching(/port \d+ is in use; set server\.port/)]);
    expect(await served.stop()).toBe(0);
  });
});
