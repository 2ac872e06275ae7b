// Where the replicas of a remote engine are listed, when they come and go while it runs.

import { z } from 'zod';
import { whole } from './knob.ts';

const everyMs = whole(
  5000,
  100,
  3_600_000,
  'ms',
  'between two readings of the list; a pod of Kubernetes that is ended leaves its endpoints at once, and lives on for 30 s',
);
const protocol = z.enum(['http', 'https']).default('http').meta({ description: 'that the servers speak' });
const port = z.int().min(1).max(65_535);

export const replicas = z.discriminatedUnion('from', [
  z.strictObject({
    from: z.literal('file').meta({ description: 'a file: one URL a line, or JSON as of Prometheus' }),
    path: z.string().min(1).meta({ description: 'read again each time; replace it as a whole' }),
    everyMs,
  }),
  z.strictObject({
    from: z.literal('dns').meta({ description: 'the addresses of a name, such as a headless service' }),
    name: z.string().min(1).max(253).meta({ description: 'whose addresses are the replicas' }),
    port: port
      .optional()
      .meta({ description: 'of each; where unset, the SRV records of the name tell hosts and ports' }),
    protocol,
    everyMs,
  }),
  z.strictObject({
    from: z.literal('kubernetes').meta({ description: 'the ready endpoints of a service, from its EndpointSlices' }),
    service: z.string().min(1).max(63).meta({ description: 'name of the service' }),
    namespace: z.string().min(1).max(63).optional().meta({ description: "the pod's own where unset" }),
    port: z
      .union([z.string().min(1).max(63), port])
      .optional()
      .meta({
        description: 'name or number of the port, where the service has several',
      }),
    protocol,
    everyMs,
  }),
]);

export type ReplicasConfig = z.infer<typeof replicas>;
