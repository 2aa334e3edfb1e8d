import { readFields, readList, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { Amounts } from './quantity';
import { toAmounts } from './quantity';

/** What a pod asks its node for: containers add up, an init container counts when it asks for more; every pod takes one place. */
export function requestsOf(pod: KubeObject): Amounts {
  const total = new Map<string, number>();
  for (const container of readList(pod, 'spec', 'containers')) {
    for (const [name, amount] of toAmounts(readFields(container, 'resources', 'requests')))
      total.set(name, (total.get(name) ?? 0) + amount);
  }
  for (const container of readList(pod, 'spec', 'initContainers')) {
    const sidecar = readString(container, 'restartPolicy') === 'Always';
    for (const [name, amount] of toAmounts(readFields(container, 'resources', 'requests'))) {
      const before = total.get(name) ?? 0;
      total.set(name, sidecar ? before + amount : Math.max(before, amount));
    }
  }
  return total.set('pods', 1);
}
