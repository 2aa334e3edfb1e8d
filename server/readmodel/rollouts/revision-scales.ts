import type { RevisionScale, RevisionScaler } from '@/lib/contract/rollout-rows';
import { getCondition } from '@/lib/kube/condition';
import { readList, readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { scalerAmong } from '@/server/rollout';
import { imageOf } from '../applications/tree';
import type { ClusterView } from '../cluster-view';
import type { ScaleHistory } from './scale-history';

/** Bounds, figures and traffic of every revision that takes part in a rollout, the target last. */
export function toRevisionScales(rollout: KubeObject, view: ClusterView, history: ScaleHistory): RevisionScale[] {
  const { namespace } = rollout.metadata;
  const stage = readList(rollout, 'spec', 'stageTargetRevisions');
  const initial = readList(rollout, 'spec', 'initialRevisions');
  const target = readList(rollout, 'spec', 'targetRevisions');
  const targetNames = new Set(target.map((entry) => readString(entry, 'revisionName')));
  const names = new Set([...initial, ...stage, ...target].flatMap((entry) => readString(entry, 'revisionName') ?? []));
  const ready = new Map(
    [...names].map((name) => [name, readNumber(view.get(KINDS.deployment, toObjectKey({ namespace, name })), 'status', 'readyReplicas') ?? 0]),
  );
  const allReady = [...ready.values()].reduce((sum, count) => sum + count, 0);

  const autoscalers = view.open(KINDS.horizontalPodAutoscaler).list(namespace);

  const scales = [...names].map((name): RevisionScale => {
    const find = (list: readonly unknown[]) => list.find((entry) => readString(entry, 'revisionName') === name);
    const own = find(target) ?? find(initial) ?? find(stage);
    const staged = find(stage);
    const autoscaler = view.get(KINDS.stagePodAutoscaler, toObjectKey({ namespace, name }));
    const bounds = { stageMin: figure(autoscaler, 'spec', 'stageMinScale'), stageMax: figure(autoscaler, 'spec', 'stageMaxScale') };
    const ownMin = figure(own, 'minScale');
    const ownMax = figure(own, 'maxScale');
    return {
      revision: name,
      role: targetNames.has(name) ? 'new' : readString(staged, 'direction') === 'stay' ? 'stay' : 'old',
      ownMin,
      ownMax,
      ...bounds,
      desired: figure(autoscaler, 'status', 'desiredScale'),
      actual: figure(autoscaler, 'status', 'actualScale') ?? ready.get(name) ?? null,
      target: figure(staged, 'targetReplicas'),
      terminating: figure(autoscaler, 'status', 'replicasTerminating'),
      inForce: boundInForce({ ...bounds, ownMin, ownMax }),
      scaler: toScaler(view.get(KINDS.deployment, toObjectKey({ namespace, name })), autoscalers),
      percentPlanned: staged === undefined ? (targetNames.has(name) ? 0 : null) : (figure(staged, 'percent') ?? 0),
      percentObserved: allReady === 0 ? null : Math.round((1000 * (ready.get(name) ?? 0)) / allReady) / 10,
      image: imageOf(view.get(KINDS.deployment, toObjectKey({ namespace, name }))) ?? null,
      samples: history.of(toObjectKey({ namespace, name })).map(({ key: _key, ...sample }) => sample),
    };
  });
  return scales.sort((a, b) => Number(a.role === 'new') - Number(b.role === 'new') || (a.revision < b.revision ? -1 : 1));
}

function figure(from: unknown, ...path: string[]): number | null {
  return readNumber(from, ...path) ?? null;
}

/** Who scales a workload by load, and what comes of it now. */
function toScaler(workload: KubeObject | undefined, autoscalers: readonly KubeObject[]): RevisionScaler | null {
  const scaler = workload && scalerAmong(autoscalers, workload.metadata.name ?? '');
  if (scaler === undefined) return null;
  const active = getCondition(scaler.object, 'ScalingActive');
  const isAsleep = readNumber(workload, 'spec', 'replicas') === 0;
  const isBlind = active?.status === 'False' && active.reason !== 'ScalingDisabled';
  const state = isAsleep ? 'asleep' : isBlind ? 'holding' : 'scaling';
  return { name: scaler.name, ...scaler.range, state, message: state === 'holding' ? (active?.message ?? null) : null };
}

/** Stage bounds only ever lower a revision's own; 0 to 1 and 0 to 0 mean that it is drained. */
function boundInForce({ stageMin, stageMax, ownMin, ownMax }: Pick<RevisionScale, 'stageMin' | 'stageMax' | 'ownMin' | 'ownMax'>): RevisionScale['inForce'] {
  if (stageMin === null && stageMax === null) return 'own';
  if (stageMin === 0 && (stageMax ?? 0) <= 1 && (ownMin ?? 0) > 0) return 'parked';
  const lowered = (stageMin !== null && stageMin < (ownMin ?? 0)) || (stageMax !== null && stageMax < (ownMax ?? Number.POSITIVE_INFINITY));
  return lowered ? 'stage' : 'own';
}
