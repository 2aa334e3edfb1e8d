import type { UndeclaredDetail } from '@/lib/contract/undeclared-releases';
import { readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { LiveObjects } from '../cluster/live-objects';
import type { HelmStorage } from '../helm/storage';
import type { Identities } from '../identities';
import type { ReleaseRef } from '../model/release';
import { actOn, isKept, UNINSTALL_EVENTS } from './acts';
import { unservedReasons } from './listed';
import type { UndeclaredDeps } from './read-undeclared';
import { toLine } from './read-undeclared';
import { notStored, requireUndeclared } from './require-undeclared';

interface DetailDeps extends Omit<UndeclaredDeps, 'storage'> {
  readonly storage: Pick<HelmStorage, 'findNewest' | 'readRevision'>;
  readonly live: Pick<LiveObjects, 'readAt' | 'readHooksAt'>;
  readonly addressOf: (object: KubeObject, release: ReleaseRef) => Promise<UndeclaredDetail['hooks'][number]>;
  readonly accountOf: Identities['accountOf'];
}

/** A release that no resource declares, and what Helm would delete with it. Nothing of the content of its objects is told. */
export async function readUndeclaredDetail(deps: DetailDeps, release: ReleaseRef): Promise<UndeclaredDetail> {
  const { storage, live, addressOf, accountOf } = deps;
  requireUndeclared(deps, release);
  const [refusal = null] = await unservedReasons(deps.stores, deps.isUndefined);
  const declaredBefore = deps.before.begin();
  const newest = await storage.findNewest(release);
  if (newest === undefined) throw notStored(release);
  const { revision } = newest.entry;
  const { metadata } = (await storage.readRevision(release, revision)).chart;
  const name = readString(metadata, 'name');
  const objects: UndeclaredDetail['objects'] = [];
  for (const object of await live.readAt(release, revision))
    objects.push({ ...(await addressOf(object, release)), isKept: isKept(object) });
  const hooks: UndeclaredDetail['hooks'] = [];
  for (const object of await live.readHooksAt(release, revision, UNINSTALL_EVENTS)) hooks.push(await addressOf(object, release));
  return {
    ...toLine(deps, { newest, storage: 'secrets' }, await declaredBefore(newest)),
    uid: newest.uid,
    chart: name === undefined ? null : { name, version: readString(metadata, 'version') ?? '' },
    account: accountOf(actOn(release).onBehalfOf) ?? null,
    objects,
    hooks,
    refusal,
  };
}
