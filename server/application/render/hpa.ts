import { z } from 'zod';
import type { KubeObject } from '@/lib/kube/object';
import { parseAt, refuse } from '../spec/fault';
import type { Trait } from './component-type';
import { stagedLabels, toScaleAnnotations } from './staged';

const target = z.strictObject({
  type: z.enum(['Utilization', 'AverageValue']).default('Utilization'),
  value: z.number().int().min(1).default(50),
});
export const hpaParameters = z.strictObject({
  min: z.number().int().min(1).default(1),
  max: z.number().int().min(1).default(10),
  targetAPIVersion: z.string().default('apps/v1'),
  targetKind: z.string().default('Deployment'),
  cpu: target.prefault({}),
  mem: target.optional(),
  podCustomMetrics: z.array(z.strictObject({ name: z.string(), value: z.string() })).optional(),
});

type Target = z.infer<typeof target>;

/** Lets the cluster scale the workload between two bounds. Under a rollout these are the revision's own, and what is in force is the rollout's. */
export const hpa: Trait = (draft, properties, context) => {
  const { place, component, namespace, stagedName } = context;
  const parameters = parseAt(hpaParameters, properties, { ...place, what: 'an hpa' });
  const { min, max, targetAPIVersion, targetKind, podCustomMetrics = [] } = parameters;
  const { workload } = draft;
  if (workload?.kind !== 'Deployment') throw refuse(place, 'scales a workload with replicas, but the component has none');
  if (draft.replicas !== undefined) throw refuse(place, 'must be the only one to scale the component, found a scaler as well');
  if (max < min) throw refuse(place, `must be at least min (${min}), found ${max}`, ['max']);
  if (targetAPIVersion !== workload.apiVersion || targetKind !== workload.kind)
    throw refuse(
      place,
      `must be ${workload.kind} of ${workload.apiVersion}, which the component is, found ${targetKind} of ${targetAPIVersion}`,
      ['targetKind'],
    );
  const metrics = [
    { type: 'Resource', resource: { name: 'cpu', target: toTarget(parameters.cpu) } },
    ...(parameters.mem === undefined ? [] : [{ type: 'Resource', resource: { name: 'memory', target: toTarget(parameters.mem) } }]),
    ...podCustomMetrics.map(({ name, value }) => ({
      type: 'Pods',
      pods: { metric: { name }, target: { type: 'AverageValue', averageValue: value } },
    })),
  ];
  const scale = { minScale: min, maxScale: max };
  const name = workload.metadata.name ?? component;
  const spec = { scaleTargetRef: { apiVersion: targetAPIVersion, kind: targetKind, name }, metrics };
  const kind = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' };
  const object: KubeObject =
    stagedName === undefined
      ? { ...kind, metadata: { name: component, namespace }, spec: { ...spec, minReplicas: min, maxReplicas: max } }
      : {
          ...kind,
          metadata: { name: stagedName, namespace, labels: stagedLabels(context, stagedName), annotations: toScaleAnnotations(scale) },
          spec,
        };
  return { ...draft, autoscaled: scale, additions: [...draft.additions, { object, trait: 'hpa' }] };
};

function toTarget({ type, value }: Target) {
  return type === 'Utilization' ? { type, averageUtilization: value } : { type, averageValue: String(value) };
}
