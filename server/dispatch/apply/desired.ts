import type { KubeObject } from '@/lib/kube/object';
import type { ManifestPolicy, MergeOptions } from '../options';
import { setOwner, trackerOwner } from '../owners';
import type { ApplyOptions } from './apply';

interface WantedHow {
  /** Whose objects they are. */
  readonly tracker: { readonly name: string; readonly uid: string };
  readonly policy: ManifestPolicy;
  readonly options: MergeOptions;
}

/** A manifest as it is applied: with its owner, and with what is left as it lives. */
export function desiredOf(
  manifest: KubeObject,
  { tracker, policy, options }: WantedHow,
): { readonly desired: KubeObject; readonly keep: readonly string[] } & Pick<ApplyOptions, 'whenExists' | 'deleteReplaced'> {
  const owned = (object: KubeObject): KubeObject => {
    const ownerReferences = setOwner(object.metadata.ownerReferences ?? [], trackerOwner(tracker), options);
    return { ...object, metadata: { ...object.metadata, ownerReferences } };
  };
  const keep = [...(policy.keep ?? []), ...(policy.scale ?? [])];
  const immutable = keep.includes('*') || (options.immutableKinds ?? []).includes(`${manifest.apiVersion}|${manifest.kind}`);
  return {
    desired: owned(manifest),
    keep,
    deleteReplaced: options.deleteReplaced,
    ...(immutable ? { whenExists: (existing: KubeObject) => owned(withoutServerMembers(existing)) } : {}),
  };
}

function withoutServerMembers(live: KubeObject): KubeObject {
  const { status: _status, metadata, ...rest } = live;
  const { uid: _uid, resourceVersion: _rv, generation: _g, creationTimestamp: _c, managedFields: _m, finalizers: _f, ...kept } = metadata;
  return { ...rest, metadata: kept };
}
