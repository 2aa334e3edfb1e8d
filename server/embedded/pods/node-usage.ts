import type { KubeObject } from '@/lib/kube/object';
import type { Release } from '@/server/platform';
import { POD } from '../controllers/kinds';
import { follow } from '../controllers/loop';
import { isFinished, nodeOf } from '../controllers/pod-view';
import type { ControllerHost } from '../host';
import type { Amounts } from './quantity';
import { requestsOf } from './requests';

/** What the pods bound to each node ask for together, kept as pods come and go. */
export interface NodeUsage {
  of(node: string): Amounts;
  release: Release;
}

const NOTHING: Amounts = new Map();

/** Follows all pods and adds up their requests by node. */
export function followNodeUsage(host: ControllerHost): NodeUsage {
  const byNode = new Map<string, Map<string, number>>();
  const count = (pod: KubeObject | undefined, sign: 1 | -1) => {
    if (!pod || nodeOf(pod) === '' || isFinished(pod)) return;
    const usage = byNode.get(nodeOf(pod)) ?? new Map<string, number>();
    for (const [name, amount] of requestsOf(pod)) usage.set(name, (usage.get(name) ?? 0) + sign * amount);
    byNode.set(nodeOf(pod), usage);
  };
  const release = follow(host, POD, ({ before, after }) => {
    if (before && after && nodeOf(before) === nodeOf(after) && isFinished(before) === isFinished(after)) return;
    count(before, -1);
    count(after, 1);
  });
  return { of: (node) => byNode.get(node) ?? NOTHING, release };
}
