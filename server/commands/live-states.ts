import { messageOf } from '@/lib/contract/app-error';
import type { ChangeRow } from '@/lib/contract/change-rows';
import type { ObjectAddress, TypeRef } from '@/lib/kube/object';
import { describeObject, groupOf } from '@/lib/kube/object';
import type { LiveState } from '@/server/dispatch';
import type { Cluster } from '@/server/kube';
import { isNoMatch, isNotFound } from '@/server/kube';

const AT_ONCE = 16;

/** Where an object is, as manifests and records write it. */
export type Address = TypeRef & { readonly namespace?: string | undefined; readonly name?: string | undefined };

/** An address without the members of what it was taken from. */
export function toAddress({ apiVersion, kind, namespace, name = '' }: Address): ObjectAddress {
  return { apiVersion, kind, ...(namespace ? { namespace } : {}), name };
}

/** An object as rows name it. */
export function rowOf({ apiVersion, kind, namespace, name = '' }: Address): Pick<ChangeRow, 'id' | 'apiVersion' | 'kind' | 'ns' | 'name'> {
  const group = groupOf(apiVersion);
  return { id: `${kind}${group === '' ? '' : `.${group}`}/${namespace ?? ''}/${name}`, apiVersion, kind, ns: namespace || null, name };
}

/** What tells the states of two objects apart. */
export const keyOf = (at: Address) => `${at.apiVersion} ${describeObject(toAddress(at))}`;

/** The state of an object among those that were read. */
export function stateOf(states: ReadonlyMap<string, LiveState>, at: Address): LiveState {
  return states.get(keyOf(at)) ?? { kind: 'unknown', why: 'it was not read' };
}

/** Reads objects as whoever the cluster acts for; one that cannot be read is unknown, never absent. */
export async function readStates(cluster: Cluster, addresses: readonly ObjectAddress[]): Promise<ReadonlyMap<string, LiveState>> {
  const wanted = [...new Map(addresses.map((at) => [keyOf(at), at])).entries()];
  const states = new Map<string, LiveState>();
  for (let from = 0; from < wanted.length; from += AT_ONCE) {
    await Promise.all(wanted.slice(from, from + AT_ONCE).map(async ([key, at]) => states.set(key, await readState(cluster, at))));
  }
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
