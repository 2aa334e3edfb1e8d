import { readString } from '@/lib/kube/fields';
import type { Release } from '@/server/platform';
import { POD } from '../controllers/kinds';
import { follow } from '../controllers/loop';
import type { ControllerHost } from '../host';

const POOL_SIZE = 65_000;

/** Addresses for pods out of 10.244.0.0/16; one is free again when its pod is gone. */
export interface Addresses {
  take(): string;
  release: Release;
}

/** Follows the pods that have an address, and gives out the next free one. */
export function followAddresses(host: ControllerHost): Addresses {
  const used = new Set<string>();
  let last = 0;
  const release = follow(host, POD, ({ before, after }) => {
    const address = readString(after ?? before, 'status', 'podIP');
    if (address === undefined) return;
    if (after) used.add(address);
    else used.delete(address);
  });
  return {
    take() {
      for (let tries = 0; tries < POOL_SIZE; tries++) {
        last = (last % POOL_SIZE) + 1;
        const address = `10.244.${last >> 8}.${last & 255}`;
        if ((last & 255) === 0 || (last & 255) === 255 || used.has(address)) continue;
        used.add(address);
        return address;
      }
      throw new Error(`the simulated cluster has no pod address left, all ${POOL_SIZE} are in use`);
    },
    release,
  };
}
