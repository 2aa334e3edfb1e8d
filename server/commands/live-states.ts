import { messageOf } from '@/lib/contract/app-error';
import type { NamedObject } from '@/lib/contract/named-object';
import type { ObjectAddress } from '@/lib/kube/object';
import { describeObject, toObjectId } from '@/lib/kube/object';
import { inParallel } from '@/lib/std/in-parallel';
import type { LiveState } from '@/server/dispatch';
import type { Cluster } from '@/server/kube';
import { isNoMatch, isNotFound } from '@/server/kube';

const AT_ONCE = 16;

/** An object as rows name it. */
export function rowOf({ apiVersion, kind, namespace, name }: ObjectAddress): NamedObject {
  return { id: toObjectId({ apiVersion, kind, namespace, name }), apiVersion, kind, ns: namespace ?? null, name };
}

/** What tells the states of two objects apart. */
const keyOf = (at: ObjectAddress) => `${at.apiVersion} ${describeObject(at)}`;

/** The state of an object among those that were read. */
export function stateOf(states: ReadonlyMap<string, LiveState>, at: ObjectAddress): LiveState {
  return states.get(keyOf(at)) ?? { kind: 'unknown', why: 'it was not read' };
}

/** Reads objects as whoever the cluster acts for; one that cannot be read is unknown, never absent. */
export async function readStates(cluster: Cluster, addresses: readonly ObjectAddress[]): Promise<ReadonlyMap<string, LiveState>> {
  const wanted = [...new Map(addresses.map((at) => [keyOf(at), at]))];
  const states = new Map<string, LiveState>();
  await inParallel(wanted, AT_ONCE, async ([key, at]) => {
    states.set(key, await readState(cluster, at));
  });
  return states;
}

async function readState(cluster: Cluster, at: ObjectAddress): Promise<LiveState> {
  try {
    return { kind: 'present', object: await cluster.get(at) };
  } catch (error) {
    if (isNotFound(error) || isNoMatch(error)) return { kind: 'absent' };
    return { kind: 'unknown', why: `${describeObject(at)} cannot be read: ${messageOf(error)}` };
  }
}
