// The name of an engine's server among nodes: the same for all who use the same one. An address that leads to the machine
// itself is another server on every machine.

const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0|\[::\])$/;

/** `machine`: the name of the one that this node runs on. */
export function serverName(url: string, machine: string): string {
  const { host, hostname, protocol, pathname } = new URL(url);
  const path = pathname.replace(/\/+$/, '').replace(/\/v1$/, '');
  return `${isLoopback.test(hostname) ? `${machine}/` : ''}${protocol}//${host}${path}`;
}
