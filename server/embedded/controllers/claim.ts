import { isEmptySelector, labelsOf, matchesSelector } from '@/lib/kube/label-selector';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { controllerOf } from '@/lib/kube/object';
import type { ControllerHost } from '../host';
import { isSameKind } from './loop';
import type { Orphans } from './orphans';
import { isFinished, isTerminating } from './pod-view';
import { toControllerReference } from './writes';

interface Claim {
  readonly owner: KubeObject;
  readonly type: TypeRef;
  readonly selector: unknown;
  readonly orphans: Orphans;
}

/**
 * The objects that an owner controls, after it let go of those that its selector no longer matches and adopted
 * matching orphans. An owner that is being deleted adopts nothing.
 */
export async function claimObjects(host: ControllerHost, { owner, type, selector, orphans }: Claim): Promise<readonly KubeObject[]> {
  const uid = owner.metadata.uid ?? '';
  const claimed: KubeObject[] = [];
  for (const object of ownedOf(host, uid, type)) {
    if (matchesSelector(selector, labelsOf(object))) claimed.push(object);
    else if (!isTerminating(owner)) await release(host, object, uid);
  }
  if (isTerminating(owner) || isEmptySelector(selector)) return claimed;
  for (const orphan of orphans.in(owner.metadata.namespace ?? '')) {
    if (isTerminating(orphan) || isFinished(orphan) || !matchesSelector(selector, labelsOf(orphan))) continue;
    claimed.push(await adopt(host, orphan, owner));
  }
  return claimed;
}

/** Objects of a kind whose controller has that uid. */
export function ownedOf(host: ControllerHost, uid: string, type: TypeRef): readonly KubeObject[] {
  return host.ownedBy(uid).filter((object) => isSameKind(object, type) && controllerOf(object)?.uid === uid);
}

function adopt(host: ControllerHost, orphan: KubeObject, owner: KubeObject): Promise<KubeObject> {
  const others = (orphan.metadata.ownerReferences ?? []).filter((reference) => reference.uid !== owner.metadata.uid);
  return host.cluster.update({ ...orphan, metadata: { ...orphan.metadata, ownerReferences: [...others, toControllerReference(owner)] } });
}

async function release(host: ControllerHost, object: KubeObject, uid: string): Promise<void> {
  const ownerReferences = (object.metadata.ownerReferences ?? []).filter((reference) => reference.uid !== uid);
  await host.cluster.update({ ...object, metadata: { ...object.metadata, ownerReferences } });
}
