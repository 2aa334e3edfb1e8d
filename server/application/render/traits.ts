import { z } from 'zod';
import type { Fields } from '@/lib/kube/fields';
import { readFields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { parseAt, refuse } from '../spec/fault';
import type { ExposedPort, Trait } from './component-type';
import { PROTOCOLS, SERVICE_TYPES } from './component-types';
import { env, resource } from './container-traits';
import { gateway } from './gateway';
import { hpa } from './hpa';
import { mapTemplate } from './pod-template';

const MAX_REPLICAS = 10_000;
export const scalerParameters = z.strictObject({ replicas: z.number().int().min(0).max(MAX_REPLICAS).default(1) });

const scaler: Trait = (draft, properties, { place }) => {
  const { replicas } = parseAt(scalerParameters, properties, { ...place, what: 'a scaler' });
  if (draft.workload === undefined) throw refuse(place, 'scales a workload, but the component has none');
  if (draft.workload.kind !== 'Deployment') throw refuse(place, 'scales a workload with replicas; how often a task runs is its count');
  if (draft.autoscaled) throw refuse(place, 'must be the only one to scale the component, found an hpa as well');
  return { ...draft, replicas };
};

const port = z.number().int().min(1).max(65_535);
export const words = z.record(z.string(), z.string());
export const exposeParameters = z.strictObject({
  port: z.array(port).optional(),
  ports: z
    .array(z.strictObject({ port, name: z.string().optional(), protocol: z.enum(PROTOCOLS).default('TCP'), nodePort: port.optional() }))
    .optional(),
  annotations: words.optional(),
  matchLabels: words.optional(),
  type: z.enum(SERVICE_TYPES).default('ClusterIP'),
});

const expose: Trait = (draft, properties, { place }) => {
  const parameters = parseAt(exposeParameters, properties, { ...place, what: 'an expose trait' });
  const listed =
    parameters.ports ??
    (parameters.port ?? []).map((one) => ({ port: one, protocol: 'TCP' as const, name: undefined, nodePort: undefined }));
  if (listed.length === 0) throw refuse(place, 'must have port or ports, found neither');
  const asked: ExposedPort[] = listed.map((one) => ({
    name: one.name ?? (one.protocol === 'TCP' ? `port-${one.port}` : `port-${one.port}-${one.protocol.toLowerCase()}`),
    port: one.port,
    ...(one.protocol === 'TCP' ? {} : { protocol: one.protocol }),
    ...(one.nodePort !== undefined && parameters.type === 'NodePort' ? { nodePort: one.nodePort } : {}),
  }));
  // Component and trait name the same Service: the trait says what it is like, ports of both are served.
  const held = (draft.exposure?.ports ?? []).filter(
    (one) => !asked.some((other) => other.port === one.port && other.protocol === one.protocol),
  );
  return {
    ...draft,
    exposure: {
      ports: [...held, ...asked],
      type: parameters.type,
      trait: 'expose',
      ...(parameters.annotations ? { annotations: parameters.annotations } : {}),
      ...(parameters.matchLabels ? { selector: parameters.matchLabels } : {}),
    },
  };
};

const marks =
  (member: 'labels' | 'annotations'): Trait =>
  (draft, properties, { place }) => {
    const added = parseAt(words, properties, place);
    const mark = (object: KubeObject): KubeObject => ({
      ...object,
      metadata: { ...object.metadata, [member]: { ...object.metadata[member], ...added } },
    });
    return { ...draft, workload: draft.workload && mark(markTemplate(draft.workload, member, added)), objects: draft.objects.map(mark) };
  };

function markTemplate(workload: KubeObject, member: 'labels' | 'annotations', added: Readonly<Record<string, string>>): KubeObject {
  return mapTemplate(workload, (template): Fields => {
    const metadata = readFields(template, 'metadata');
    return { ...template, metadata: { ...metadata, [member]: { ...added, ...readFields(metadata, member) } } };
  });
}

/** The traits there are. */
export const TRAITS: Readonly<Record<string, Trait>> = {
  scaler,
  hpa,
  expose,
  gateway,
  labels: marks('labels'),
  annotations: marks('annotations'),
  env,
  resource,
};
