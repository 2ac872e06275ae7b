// The name of an engine's server, the same on all nodes that use it. A loopback address names a different server on each machine.

const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0|\[::\])$/;

/** `machine`: the name of this node's machine. */
export function serverName(url: string, machine: string): string {
  const { host, hostname, protocol, pathname } = new URL(url);
  const path = pathname.replace(/\/+$/, '').replace(/\/v1$/, '');
  return `${isLoopback.test(hostname) ? `${machine}/` : ''}${protocol}//${host}${path}`;
}
