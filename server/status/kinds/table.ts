import type { KindRule } from '../kind-rule';
import { computeCustomResourceDefinition } from './apiextensions';
import { computeDaemonSet, computeDeployment, computeReplicaSet, computeStatefulSet } from './apps';
import { computeJob } from './batch';
import { computeAlwaysReady, computePersistentVolumeClaim, computeService } from './core';
import { computePod } from './pod';
import { computePodDisruptionBudget } from './policy';

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
