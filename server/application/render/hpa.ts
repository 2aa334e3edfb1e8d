import { z } from 'zod';
import { parseAt, refuse } from '../fault';
import type { Trait } from './component-type';

const target = z.strictObject({ type: z.enum(['Utilization', 'AverageValue']).default('Utilization'), value: z.number().int().min(1).default(50) });
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

/** Lets the cluster scale the workload between two bounds. */
export const hpa: Trait = (draft, properties, context) => {
  const { place, component, namespace, stagedName } = context;
  const parameters = parseAt(hpaParameters, properties, { ...place, what: 'an hpa' });
  const { min, max, targetAPIVersion, targetKind, podCustomMetrics = [] } = parameters;
  const { workload } = draft;
  if (workload?.kind !== 'Deployment') throw refuse(place, 'scales a workload with replicas, and the component has none');
  if (stagedName !== undefined) throw refuse(place, 'wants a component that no rollout moves, since the rollout scales its workload; a scaler bounds it');
  if (draft.replicas !== undefined) throw refuse(place, 'wants to be the only one to scale the component, found a scaler beside it');
  if (max < min) throw refuse(place, `wants at least min (${min}), found ${max}`, ['max']);
  if (targetAPIVersion !== workload.apiVersion || targetKind !== workload.kind)
    throw refuse(place, `wants ${workload.kind} of ${workload.apiVersion}, which the component is, found ${targetKind} of ${targetAPIVersion}`, ['targetKind']);
  const metrics = [
    { type: 'Resource', resource: { name: 'cpu', target: toTarget(parameters.cpu) } },
    ...(parameters.mem === undefined ? [] : [{ type: 'Resource', resource: { name: 'memory', target: toTarget(parameters.mem) } }]),
    ...podCustomMetrics.map(({ name, value }) => ({ type: 'Pods', pods: { metric: { name }, target: { type: 'AverageValue', averageValue: value } } })),
  ];
  const object = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: component, namespace },
    spec: {
      scaleTargetRef: { apiVersion: targetAPIVersion, kind: targetKind, name: workload.metadata.name },
      minReplicas: min,
      maxReplicas: max,
      metrics,
    },
  };
  return { ...draft, autoscaled: true, additions: [...draft.additions, { object, trait: 'hpa' }] };
};

function toTarget({ type, value }: Target) {
  return type === 'Utilization' ? { type, averageUtilization: value } : { type, averageValue: String(value) };
}
