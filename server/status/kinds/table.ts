import type { KindRule } from '../kind-rule';
import { computeAlwaysReady } from './always-ready';
import { computeCustomResourceDefinition } from './custom-resource-definition';
import { computeDaemonSet } from './daemon-set';
import { computeDeployment } from './deployment';
import { computeJob } from './job';
import { computePersistentVolumeClaim } from './persistent-volume-claim';
import { computePod } from './pod';
import { computePodDisruptionBudget } from './pod-disruption-budget';
import { computeReplicaSet } from './replica-set';
import { computeService } from './service';
import { computeStatefulSet } from './stateful-set';

/** Kinds with rules of their own; every other kind is judged by the generic ones. The version of a kind does not matter. */
export const KIND_RULES: ReadonlyMap<string, KindRule> = new Map([
  ['Service', computeService],
  ['Pod', computePod],
  ['Secret', computeAlwaysReady],
  ['PersistentVolumeClaim', computePersistentVolumeClaim],
  ['ConfigMap', computeAlwaysReady],
  ['apps/StatefulSet', computeStatefulSet],
  ['apps/DaemonSet', computeDaemonSet],
  ['extensions/DaemonSet', computeDaemonSet],
  ['apps/Deployment', computeDeployment],
  ['extensions/Deployment', computeDeployment],
  ['apps/ReplicaSet', computeReplicaSet],
  ['extensions/ReplicaSet', computeReplicaSet],
  ['policy/PodDisruptionBudget', computePodDisruptionBudget],
  ['batch/CronJob', computeAlwaysReady],
  ['batch/Job', computeJob],
  ['apiextensions.k8s.io/CustomResourceDefinition', computeCustomResourceDefinition],
]);
