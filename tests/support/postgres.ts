// A PostgreSQL of a test's own: Debian's programs, a cluster in a temporary folder, a socket there, no port. Where there
// is none, tests are skipped and say so.

import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TestDatabase {
  readonly url: string;
  /** As an operator would: connections are cut. */
  restart(): void;
  stop(): void;
  start(): void;
  /** Ends it and removes its folder. */
  remove(): void;
}

const folders = ['/usr/local/bin', '/usr/bin'];
const debian = '/usr/lib/postgresql';
if (existsSync(debian)) folders.unshift(...readdirSync(debian).map((version) => join(debian, version, 'bin')));
const programs = folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'pg_ctl')));

export const hasPostgres = programs !== undefined;
if (!hasPostgres) console.log('PostgreSQL tests are skipped: initdb was not found (apt-get install postgresql)');

export interface TestDatabaseOptions {
  /** Off where only behaviour is tested; on where it is measured or crashed. */
  readonly fsync?: boolean;
}

export function startPostgres({ fsync = false }: TestDatabaseOptions = {}): TestDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-postgres-'));
  const data = join(folder, 'data');
  const account = serverAccount();
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid ?? account.uid);
  const call = (program: string, args: readonly string[]) => {
    const { status, stderr, stdout } = spawnSync(join(programs ?? '', program), args, {
      ...{ cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
      ...account,
    });
    if (status !== 0) throw new Error(`${program} failed: ${stderr}${stdout}`);
  };
  const settings = `-c listen_addresses='' -c unix_socket_directories=${folder} -c fsync=${fsync ? 'on' : 'off'}`;
  const log = join(folder, 'log');
  const start = () => call('pg_ctl', ['-D', data, '-w', '-l', log, '-o', settings, 'start']);
  const stop = () => call('pg_ctl', ['-D', data, '-w', '-m', 'fast', 'stop']);
  call('initdb', ['-D', data, '-U', 'coppice', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--no-locale']);
  start();
  const restart = () => {
    stop();
    start();
  };
  const remove = () => {
    spawnSync(join(programs ?? '', 'pg_ctl'), ['-D', data, '-m', 'immediate', 'stop'], { cwd: folder, ...account });
    rmSync(folder, { recursive: true, force: true });
  };
  return { url: `postgres://coppice@/postgres?host=${encodeURIComponent(folder)}`, start, stop, restart, remove };
}

/** The server refuses to run as root. */
function serverAccount(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
