import { z } from 'zod';
import { getCondition, readConditions } from '@/lib/kube/condition';
import { readBoolean, readField, readNumber, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { parseInstant } from '@/lib/std/instant';
import { LABEL } from '@/server/dispatch';
import type { Revisions, Rollout } from '@/server/rollout';
import { targetRevision } from '@/server/rollout';

/** A RolloutOrchestrator as its application looks at it. */
export interface RolloutSeen {
  readonly object: KubeObject;
  readonly component: string | undefined;
  readonly ro: Pick<Rollout, 'spec' | 'status'>;
  /** The revision it is to reach. */
  readonly target: string | undefined;
  /** Set once the target is reached at 100 percent and everything is ready: since when. */
  readonly completeSince: Instant | undefined;
  readonly aborted: boolean;
  /** True once an abort has put the stable side back. */
  readonly abortDone: boolean;
  readonly rejectedRevision: string | undefined;
  readonly seenGarbage: string | undefined;
}

const revisions = z.array(targetRevision).optional();

function readRevisions(object: KubeObject, ...path: readonly string[]): Revisions | undefined {
  return revisions.parse(readField(object, ...path));
}

/** Reads the parts of a rollout that decide what its application may do. */
export function readRolloutSeen(object: KubeObject): RolloutSeen {
  const targetRevisions = readRevisions(object, 'spec', 'targetRevisions');
  const observedGeneration = readNumber(object, 'status', 'observedGeneration');
  const stageRevisionStatus = readRevisions(object, 'status', 'stageRevisionStatus');
  const target = targetRevisions?.[0]?.revisionName;
  const aborted = readBoolean(object, 'status', 'control', 'abort') ?? false;
  const ready = getCondition(object, 'Ready');
  const reached = stageRevisionStatus?.some((one) => one.revisionName === target && one.percent === 100) ?? false;
  const remembered = readString(object, 'status', 'control', 'rollout', 'target', '0', 'revisionName') ?? target;
  const complete =
    target !== undefined &&
    reached &&
    !aborted &&
    remembered === target &&
    observedGeneration === object.metadata.generation &&
    ready?.status === 'True' &&
    getCondition(object, 'LastStageReady')?.status === 'True';
  return {
    object,
    component: object.metadata.labels?.[LABEL.component],
    ro: {
      spec: {
        targetRevisions,
        initialRevisions: readRevisions(object, 'spec', 'initialRevisions'),
        stageTargetRevisions: readRevisions(object, 'spec', 'stageTargetRevisions'),
        targetFinishTime: readString(object, 'spec', 'targetFinishTime'),
        rolloutStrategy: readString(object, 'spec', 'rolloutStrategy'),
      },
      status: { observedGeneration, conditions: readConditions(object), stageRevisionStatus },
    },
    target,
    completeSince: complete ? (parseInstant(ready?.lastTransitionTime) ?? (0 as Instant)) : undefined, // an undated condition counts as old
    aborted,
    abortDone: readBoolean(object, 'status', 'control', 'abortDone') ?? false,
    rejectedRevision: readString(object, 'status', 'control', 'rejectedRevision'),
    seenGarbage: readString(object, 'status', 'control', 'seenGarbage'),
  };
}

/** True while a rollout is on its way; taking its policy away then would strand it between two revisions. */
export function isUnderWay(rollout: RolloutSeen | undefined): boolean {
  return rollout?.target !== undefined && rollout.completeSince === undefined && !(rollout.aborted && rollout.abortDone);
}
