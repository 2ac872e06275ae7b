// Replicas from the ready EndpointSlices (discovery.k8s.io/v1) of a Kubernetes service. The pod's service account needs `list` on them.
// Token and certificate are read anew each time: the kubelet renews them.

import { readFile } from 'node:fs/promises';
import * as http from 'node:http';
import * as https from 'node:https';
import { join } from 'node:path';
import { FaultError, fault, raise } from '../../../base/fault.ts';
import { isRecord } from '../../../base/record.ts';
import { BoundedBody, tooMuch } from '../../../remote/bounded-body.ts';
import { parseJson } from '../../../remote/json.ts';
import { records } from '../../../remote/wire-values.ts';
import { checked } from './listed-urls.ts';
import { hostOf, listBytes, listOf, type ReplicaList, readMs } from './replica-list.ts';

interface KubernetesOptions {
  readonly service: string;
  readonly namespace?: string | undefined;
  readonly port?: string | undefined;
  readonly protocol: 'http' | 'https';
}

interface ApiServer {
  readonly url: string;
  readonly account: string;
}

export function podApiServer(environment: Readonly<Record<string, string | undefined>>): ApiServer {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = environment;
  if (host === undefined)
    return raise(
      'bad-setting',
      "replicas are from kubernetes, and KUBERNETES_SERVICE_HOST is not set: this is no pod; use 'dns' or 'file'",
    );
  return { url: `https://${hostOf(host)}:${port}`, account: '/var/run/secrets/kubernetes.io/serviceaccount' };
}

export function kubernetesList(options: KubernetesOptions, api: ApiServer): ReplicaList {
  const name = `endpoints of the service ${options.service}`;
  return listOf(name, async () => {
    const namespace = options.namespace ?? (await readFile(join(api.account, 'namespace'), 'utf8')).trim();
    const selector = encodeURIComponent(`kubernetes.io/service-name=${options.service}`);
    const path = `/apis/discovery.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/endpointslices`;
    const body = await ask(api, `${path}?labelSelector=${selector}`, name);
    return checked(readyUrls(parseJson(body, name), options).sort(), name);
  });
}

function readyUrls(slices: unknown, { port, protocol }: KubernetesOptions): string[] {
  return records(isRecord(slices) ? slices.items : undefined).flatMap((slice) => {
    const at = records(slice.ports).find(
      (each) => port === undefined || each.name === port || String(each.port) === port,
    );
    if (at?.port === undefined) return [];
    // By the API's words, a missing condition counts as true.
    const ready = records(slice.endpoints).filter(
      ({ conditions }) => !isRecord(conditions) || conditions.ready !== false,
    );
    const addresses = ready.flatMap((each) => (Array.isArray(each.addresses) ? each.addresses.slice(0, 1) : []));
    return addresses.map((address) => `${protocol}://${hostOf(String(address))}:${at.port}`);
  });
}

async function ask({ url, account }: ApiServer, path: string, name: string): Promise<string> {
  const token = (await readFile(join(account, 'token'), 'utf8')).trim();
  const ca = url.startsWith('https:') ? await readFile(join(account, 'ca.crt')) : undefined;
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
  const options = { headers, ...(ca && { ca }), signal: AbortSignal.timeout(readMs) };
  const get = ca === undefined ? http.get : https.get;
  const { status, body } = await new Promise<{ status: number; body: string }>((resolve, reject) => {
    const request = get(`${url}${path}`, options, (response) => {
      const kept = new BoundedBody(listBytes);
      response.on('data', (chunk: Buffer) => {
        if (!kept.add(chunk)) request.destroy(new FaultError(tooMuch(name, listBytes)));
      });
      response.on('error', reject).on('end', () => resolve({ status: response.statusCode ?? 0, body: kept.text() }));
    });
    request.on('error', reject);
  });
  if (status === 200) return body;
  const remedy = status === 403 ? '; its service account needs the verb list on endpointslices' : '';
  throw new FaultError(fault('unavailable', `${name} cannot be read: the API server answered ${status}${remedy}`));
}
