import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { RolloutStores } from '@/server/rollout/observe';
import { indexStores } from '@/server/rollout/observe';
import { FakeApiServer } from '../../support/dispatch-server';
import { FakeInformers } from '../../support/fake-informers';
import { anEntry } from './simulation';

export const READY_AT = '2026-01-01T09:00:00Z';
export const REVISION = 'serving.knative.dev/revision';
export const SERVICE = 'serving.knative.dev/service';
export const key = (name: string, namespace = 'shop') => toObjectKey({ namespace, name });
export type Metadata = Partial<KubeObject['metadata']>;

export const an = (type: TypeRef, name: string, spec: object = {}, metadata: Metadata = {}, status: object = {}): KubeObject => ({
  ...type,
  metadata: { name, namespace: 'shop', uid: `uid-${name}`, ...metadata },
  spec,
  status,
});
export const aRollout = (spec: object = {}, metadata: Metadata = {}, status: object = {}) =>
  an(KINDS.rolloutOrchestrator, 'web', { targetRevisions: [anEntry('web-v2', 4)], ...spec }, metadata, status);
/** A workload whose pods carry the label of the revision, or one that was adopted as it was. */
export const aWorkload = (
  name: string,
  replicas: number,
  { labelled = true, selector = { app: name } as object, ...metadata }: Metadata & object & { labelled?: boolean; selector?: object } = {},
) =>
  an(
    KINDS.deployment,
    name,
    { replicas, selector: { matchLabels: selector }, template: { metadata: { labels: labelled ? { [REVISION]: name } : {} } } },
    { labels: { [SERVICE]: 'web' }, ...metadata },
    { observedGeneration: 1, replicas, readyReplicas: replicas },
  );
export const aPod = (name: string, labels: Readonly<Record<string, string>> | undefined, metadata: Metadata = {}) =>
  an(
    KINDS.pod,
    name,
    {},
    {
      ...(labels ? { labels } : {}),
      ...metadata,
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'x', uid: '1', controller: true }],
    },
    {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: READY_AT }],
    },
  );
export const aMirror = (name: string, rollout = 'web', metadata: Metadata = {}) =>
  an(KINDS.stagePodAutoscaler, name, {}, { labels: { [SERVICE]: rollout }, ...metadata });
export const aDecision = (name: string, spec: object = {}, status: object = {}) =>
  an(
    KINDS.stageDecision,
    name,
    { rolloutRef: { name: 'web', uid: 'uid-web' }, verb: 'pause', actor: { user: 'ann' }, ...spec },
    { creationTimestamp: READY_AT },
    status,
  );

/** Stores of a cluster that holds these objects. */
export function storesWith(...objects: readonly KubeObject[]): RolloutStores {
  const server = new FakeApiServer();
  for (const object of objects) server.seed(object);
  return openStores(new FakeInformers(server));
}

/** The stores that the engine reads, with their indexes. */
export function openStores(informers: FakeInformers): RolloutStores {
  const open = (type: TypeRef) => informers.open({ ...type }).store;
  const stores = {
    rollouts: open(KINDS.rolloutOrchestrator),
    autoscalers: open(KINDS.stagePodAutoscaler),
    deployments: open(KINDS.deployment),
    horizontalAutoscalers: open(KINDS.horizontalPodAutoscaler),
    pods: open(KINDS.pod),
    decisions: open(KINDS.stageDecision),
  };
  indexStores(stores);
  return stores;
}
