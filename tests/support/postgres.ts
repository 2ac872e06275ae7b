// A PostgreSQL for one test: Debian's programs, a cluster in a temporary folder, with a socket there and no port. Without
// those programs, tests are skipped and say so.

import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TestDatabase {
  readonly url: string;
  /** Restarts as an operator would: connections are cut. */
  restart(): void;
  stop(): void;
  start(): void;
  /** Another server with the data of this one. One that follows receives every commit before this one confirms it. */
  copy(how: 'as it is' | 'following'): TestDatabase;
  /** Makes a following server accept writes itself. */
  promote(): void;
  /** Stops the server and removes its folder. */
  remove(): void;
}

const folders = ['/usr/local/bin', '/usr/bin'];
const debian = '/usr/lib/postgresql';
if (existsSync(debian)) folders.unshift(...readdirSync(debian).map((version) => join(debian, version, 'bin')));
const programs = folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'pg_ctl')));

export const hasPostgres = programs !== undefined;
if (!hasPostgres) console.log('PostgreSQL tests are skipped: initdb was not found (apt-get install postgresql)');

export interface TestDatabaseOptions {
  /** Off if only behaviour is tested; on if it is measured or crashed. */
  readonly fsync?: boolean;
  /** Settings as `name=value`. */
  readonly settings?: readonly string[];
  /** Folder in which its own folder is made. */
  readonly parent?: string;
}

export function startPostgres(options: TestDatabaseOptions = {}): TestDatabase {
  return serverIn(options, (call, data) =>
    call('initdb', ['-D', data, '-U', 'coppice', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--no-locale']),
  );
}

type Call = (program: string, args: readonly string[]) => void;

/** `make` fills the data folder. */
function serverIn(options: TestDatabaseOptions, make: (call: Call, data: string) => void): TestDatabase {
  const { fsync = false, settings: given = [], parent = tmpdir() } = options;
  const folder = mkdtempSync(join(parent, 'coppice-postgres-'));
  const data = join(folder, 'data');
  const account = serverAccount();
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid ?? account.uid);
  const call = (program: string, args: readonly string[]) => {
    const { status, stderr, stdout } = spawnSync(join(programs ?? '', program), args, {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      ...account,
    });
    if (status !== 0) throw new Error(`${program} failed: ${stderr}${stdout}`);
  };
  const more = given.map((setting) => ` -c ${setting}`).join('');
  const settings = `-c listen_addresses='' -c unix_socket_directories=${folder} -c fsync=${fsync ? 'on' : 'off'}${more}`;
  const log = join(folder, 'log');
  const start = () => call('pg_ctl', ['-D', data, '-w', '-l', log, '-o', settings, 'start']);
  const stop = () => call('pg_ctl', ['-D', data, '-w', '-m', 'fast', 'stop']);
  make(call, data);
  start();
  const restart = () => {
    stop();
    start();
  };
  const copy = (how: 'as it is' | 'following') => {
    const follow = how === 'following' ? ['--write-recovery-conf'] : [];
    const args = ['-h', folder, '-U', 'coppice', '-c', 'fast', '--no-sync', ...follow];
    const made = serverIn(options, (other, into) => other('pg_basebackup', ['-D', into, ...args]));
    if (how === 'as it is') return made;
    const sql = "alter system set synchronous_standby_names = '*'";
    call('psql', ['-h', folder, '-U', 'coppice', '-d', 'postgres', '-c', sql, '-c', 'select pg_reload_conf()']);
    return made;
  };
  const promote = () => call('pg_ctl', ['-D', data, '-w', 'promote']);
  const remove = () => {
    spawnSync(join(programs ?? '', 'pg_ctl'), ['-D', data, '-m', 'immediate', 'stop'], { cwd: folder, ...account });
    rmSync(folder, { recursive: true, force: true });
  };
  const url = `postgres://coppice@/postgres?host=${encodeURIComponent(folder)}`;
  return { url, start, stop, restart, copy, promote, remove };
}

/** The server refuses to run as root. */
function serverAccount(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
