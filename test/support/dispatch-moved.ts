import type { ObjectAddress, TypeRef } from '@/lib/kube/object';
import { groupOf, versionOf } from '@/lib/kube/object';
import type { KindRef } from '@/server/kube';
import { NoMatchError } from '@/server/kube';
import type { FakeApiServer } from './dispatch-server';

/** From now on the kinds of a group are served at one version and at no other; at none at all where none is named. */
export function moveGroup(server: FakeApiServer, group: string, version: string | undefined): void {
  const demand = (type: TypeRef) => {
    if (groupOf(type.apiVersion) !== group || versionOf(type.apiVersion) === version) return;
    throw new NoMatchError(type, version === undefined ? [] : [`${group}/${version}`]);
  };
  const { get, update, discovery } = server;
  const { resolve } = discovery;
  server.get = async (at: ObjectAddress) => {
    demand(at);
    return get.call(server, at);
  };
  server.update = async (object, options) => {
    demand(object);
    return update.call(server, object, options);
  };
  discovery.resolve = async (type) => {
    demand(type);
    return resolve(type);
  };
  discovery.resolveKind = async (kind: KindRef) => {
    if (kind.group !== group)
      return resolve({ apiVersion: kind.group === '' ? 'v1' : `${kind.group}/${kind.version ?? 'v1'}`, kind: kind.kind });
    if (version === undefined) throw new NoMatchError({ apiVersion: `${group}/${kind.version ?? 'v1'}`, kind: kind.kind });
    return resolve({ apiVersion: `${group}/${version}`, kind: kind.kind });
  };
}
