import { getCondition } from '@/lib/kube/condition';
import type { Fields } from '@/lib/kube/fields';
import { isFields, readBoolean, readField, readFields, readList, readString } from '@/lib/kube/fields';
import { labelsOf, matchesExpression, matchesSet } from '@/lib/kube/label-selector';
import type { KubeObject } from '@/lib/kube/object';
import type { Amounts } from './quantity';
import { toAmounts } from './quantity';
import { requestsOf } from './requests';
import { isUnschedulable } from './script';

/** Why a node does not take a pod, in the scheduler's words; empty when it does. */
export type Obstacles = readonly string[];

/** Judges one node for one pod, in the order in which the original's filters run: the first filter that objects is named. */
export function findObstacles(pod: KubeObject, node: KubeObject, usage: Amounts): Obstacles {
  if (readBoolean(node, 'spec', 'unschedulable') && !tolerates(pod, UNSCHEDULABLE)) return ['node(s) were unschedulable'];
  const wanted = readString(pod, 'spec', 'nodeName');
  if (wanted !== undefined && wanted !== node.metadata.name) return ["node(s) didn't match the requested node name"];
  const taint = taintsOf(node).find((entry) => !tolerates(pod, entry));
  if (taint) return [`node(s) had untolerated taint(s)`];
  if (!matchesAffinity(pod, node)) return ["node(s) didn't match Pod's node affinity/selector"];
  return isUnschedulable(pod) ? ['Insufficient cpu'] : findShortages(pod, node, usage);
}

const UNSCHEDULABLE: Fields = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

function taintsOf(node: KubeObject): readonly Fields[] {
  const ready = getCondition(node, 'Ready')?.status === 'True';
  const notReady = ready ? [] : [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }];
  const taints = readList(node, 'spec', 'taints').filter(isFields);
  return [...taints, ...notReady].filter(({ effect }) => effect === 'NoSchedule' || effect === 'NoExecute');
}

function tolerates(pod: KubeObject, taint: Fields): boolean {
  return readList(pod, 'spec', 'tolerations').some((toleration) => {
    const key = readString(toleration, 'key') ?? '';
    const effect = readString(toleration, 'effect') ?? '';
    const exists = readString(toleration, 'operator') === 'Exists';
    if (effect !== '' && effect !== taint.effect) return false;
    if (key === '') return exists;
    return key === taint.key && (exists || (readString(toleration, 'value') ?? '') === (taint.value ?? ''));
  });
}

function matchesAffinity(pod: KubeObject, node: KubeObject): boolean {
  const labels = labelsOf(node);
  if (!matchesSet(readFields(pod, 'spec', 'nodeSelector'), labels)) return false;
  const required = readField(pod, 'spec', 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution');
  if (required === undefined) return true;
  const fields = { 'metadata.name': node.metadata.name ?? '' };
  return readList(required, 'nodeSelectorTerms').some((term) => {
    const expressions = readList(term, 'matchExpressions');
    const matchFields = readList(term, 'matchFields');
    if (expressions.length + matchFields.length === 0) return false;
    return expressions.every((entry) => matchesExpression(entry, labels)) && matchFields.every((entry) => matchesExpression(entry, fields));
  });
}

function findShortages(pod: KubeObject, node: KubeObject, usage: Amounts): Obstacles {
  const allocatable = toAmounts(readFields(node, 'status', 'allocatable'));
  const shortages: string[] = [];
  for (const [name, amount] of requestsOf(pod)) {
    if (amount === 0 || (usage.get(name) ?? 0) + amount <= (allocatable.get(name) ?? 0)) continue;
    shortages.push(name === 'pods' ? 'Too many pods' : `Insufficient ${name}`);
  }
  return shortages;
}
