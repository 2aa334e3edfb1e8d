import { isFields, readFields, readList } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { Draft } from './draft';
import type { Resource } from './resource';
import { apiVersionOf, ordered, storageApiVersionOf } from './resource';

interface Conversion {
  readonly out: (stored: KubeObject) => Draft;
  readonly in: (served: Draft) => Draft;
}

const EVENT_NAMES = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
] as const;

// Versions whose shape differs from the stored one; all others differ in their apiVersion only.
const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  'events.k8s.io/v1/Event': {
    out: (stored) => renamed(stored, EVENT_NAMES),
    in: (served) =>
      renamed(
        served,
        EVENT_NAMES.map(([core, other]) => [other, core] as const),
      ), // prettier-ignore
  },
  'autoscaling/v1/HorizontalPodAutoscaler': {
    out: (stored) => ({ ...stored, spec: targetOut(readFields(stored, 'spec')) }),
    in: (served) => ({ ...served, spec: targetIn(readFields(served, 'spec')) }),
  },
};

function renamed(object: Readonly<Record<string, unknown>>, names: readonly (readonly [string, string])[]): Draft {
  const to = new Map(names);
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [to.get(key) ?? key, value]));
}

function targetOut({ metrics: _metrics, behavior: _behavior, ...spec }: Readonly<Record<string, unknown>>): Draft {
  const cpu = readList({ metrics: _metrics }, 'metrics').find((metric) => readFields(metric, 'resource').name === 'cpu');
  const { averageUtilization } = readFields(cpu, 'resource', 'target');
  return { ...spec, ...(averageUtilization === undefined ? {} : { targetCPUUtilizationPercentage: averageUtilization }) };
}

function targetIn({ targetCPUUtilizationPercentage: percent, ...spec }: Readonly<Record<string, unknown>>): Draft {
  if (percent === undefined) return spec;
  return {
    ...spec,
    metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: percent } } }],
  };
}

/** A stored object as a version of its resource serves it. */
export function toServed(resource: Resource, held: KubeObject): KubeObject {
  const apiVersion = apiVersionOf(resource);
  const stored = resource.custom?.asRead?.(held) ?? held;
  if (stored.apiVersion === apiVersion) return stored;
  const conversion = CONVERSIONS[`${apiVersion}/${resource.kind}`];
  return Object.freeze(ordered(resource, conversion ? conversion.out(stored) : stored, apiVersion));
}

/** An object of a served version as it is stored. */
export function toStored(resource: Resource, served: Draft): KubeObject {
  const conversion = CONVERSIONS[`${apiVersionOf(resource)}/${resource.kind}`];
  const converted = conversion ? conversion.in(served) : served;
  return ordered(resource, isFields(converted) ? converted : served, storageApiVersionOf(resource));
}
