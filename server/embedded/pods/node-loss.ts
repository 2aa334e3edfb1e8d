import { toAddress } from '@/lib/kube/object';
import { ignoreNotFound } from '@/server/kube';
import { NODE, POD } from '../controllers/kinds';
import type { Loop } from '../controllers/loop';
import { startLoop } from '../controllers/loop';
import { nodeOf } from '../controllers/pod-view';
import type { ControllerHost } from '../host';

// As long as the original waits for a node that may only have been renamed or made again.
const QUARANTINE_MS = 40_000;

/** Removes the pods of a node that was deleted, once it stayed away for a while. */
export function startNodeLoss(host: ControllerHost): Loop {
  const loop: Loop = startLoop(host, {
    name: 'node-loss',
    watches: [],
    reconcile: async (name) => {
      if (host.get(NODE, name)) return undefined;
      for (const pod of host.list(POD)) {
        if (nodeOf(pod) !== name) continue;
        await ignoreNotFound(host.cluster.delete(toAddress(pod), { gracePeriodSeconds: 0 }));
      }
      return undefined;
    },
  });
  const release = host.onChange(({ type, key, after }) => {
    if (type.kind === NODE.kind && !after) loop.addAfter(key, QUARANTINE_MS);
  });
  return {
    ...loop,
    async [Symbol.asyncDispose]() {
      release();
      await loop[Symbol.asyncDispose]();
    },
  };
}
