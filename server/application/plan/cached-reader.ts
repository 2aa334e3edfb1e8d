import { messageOf } from '@/lib/contract/app-error';
import { SECRET } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress, TypeRef } from '@/lib/kube/object';
import { describeObject, toObjectId } from '@/lib/kube/object';
import { inParallel } from '@/lib/std/in-parallel';
import type { LiveState } from '@/server/dispatch';
import { readState } from '@/server/dispatch';
import type { Cluster } from '@/server/kube';
import { ignoreNotFound, isNoMatch } from '@/server/kube';
import type { Clock } from '@/server/platform';
import type { ObjectStores } from '../observe/object-stores';
import type { PlanReader } from './plan-change';

const AT_ONCE = 16;

export interface CachedReaderDeps {
  readonly objects: ObjectStores;
  readonly cluster: Pick<Cluster, 'get' | 'discovery'>;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Secrets with values that are written before the application is. */
  readonly secrets?: readonly KubeObject[] | undefined;
}

/** Reads by the watched copies, as the server; only what these do not know is asked for one by one. */
export function createCachedReader({ objects, cluster, clock, signal, secrets = [] }: CachedReaderDeps): PlanReader {
  return {
    async values({ name, namespace }) {
      const at = { ...SECRET, namespace, name };
      const ahead = secrets.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
      // The copies may not have heard of what was written this moment.
      return ahead ?? objects.read(at) ?? (await ignoreNotFound(cluster.get(at, signal === undefined ? {} : { signal })));
    },
    async states(addresses) {
      // All at one moment, so that one plan tells of one state.
      const states = new Map<string, LiveState>(addresses.map((at) => [keyOf(at), objects.live(at)]));
      const unknown = new Map(addresses.filter((at) => !isKnown(at, states.get(keyOf(at)))).map((at) => [keyOf(at), at]));
      await inParallel([...unknown], AT_ONCE, async ([key, at]) => {
        states.set(key, await readState(cluster, at, signal));
      });
      return (at) => states.get(keyOf(at)) ?? { kind: 'unknown', why: `${describeObject(at)} was not read` };
    },
    async isNamespaced(type: TypeRef) {
      try {
        return (await cluster.discovery.resolve(type, signal)).namespaced;
      } catch (error) {
        if (isNoMatch(error)) return { unserved: messageOf(error) };
        throw error;
      }
    },
    yieldToEventLoop: () => clock.sleep(0, signal),
  };
}

/** A copy of another version of the kind tells what is there, and not as it is wanted. */
function isKnown(at: ObjectAddress, state: LiveState | undefined): boolean {
  return state?.kind === 'absent' || (state?.kind === 'present' && state.object.apiVersion === at.apiVersion);
}

const keyOf = (at: ObjectAddress) => `${at.apiVersion} ${toObjectId(at)}`;
