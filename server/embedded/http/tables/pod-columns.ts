import { readField, readList, readNumber, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import type { Column } from './column';
import { AGE, NAME, sinceText, text } from './column';

const statuses = (pod: KubeObject) => readList(pod, 'status', 'containerStatuses');

/** What a pod is up to, in the word that kubectl shows. */
export function podStatus(pod: KubeObject): string {
  const phase = readString(pod, 'status', 'reason') ?? readString(pod, 'status', 'phase') ?? 'Unknown';
  let said = phase;
  for (const status of [...statuses(pod)].reverse()) {
    const waiting = readString(status, 'state', 'waiting', 'reason');
    const ended = readField(status, 'state', 'terminated');
    if (waiting) said = waiting;
    else if (ended) said = readString(ended, 'reason') ?? `ExitCode:${readNumber(ended, 'exitCode') ?? 0}`;
  }
  if (pod.metadata.deletionTimestamp) return readString(pod, 'status', 'reason') === 'NodeLost' ? 'Unknown' : 'Terminating';
  return said;
}

function restarts(pod: KubeObject, now: Instant): string {
  const total = statuses(pod).reduce<number>((sum, status) => sum + (readNumber(status, 'restartCount') ?? 0), 0);
  const times = statuses(pod).flatMap((status) => readString(status, 'lastState', 'terminated', 'finishedAt') ?? []);
  const last = times.sort().at(-1);
  return total > 0 && last !== undefined ? `${total} (${sinceText(last, now)} ago)` : String(total);
}

export const POD_COLUMNS: readonly Column[] = [
  NAME,
  text(
    'Ready',
    (pod) =>
      `${statuses(pod).filter((status) => readField(status, 'ready') === true).length}/${readList(pod, 'spec', 'containers').length}`,
  ),
  text('Status', podStatus),
  text('Restarts', restarts),
  AGE,
];

/** Where a pod is; shown by `-o wide`. */
export const PLACEMENT: readonly Column[] = [
  text('IP', (pod) => readString(pod, 'status', 'podIP') ?? '<none>', 1),
  text('Node', (pod) => readString(pod, 'spec', 'nodeName') ?? '<none>', 1),
  text('Nominated Node', (pod) => readString(pod, 'status', 'nominatedNodeName') ?? '<none>', 1),
  text('Readiness Gates', () => '<none>', 1),
];
