import type { KubeObject } from '@/lib/kube/object';
import { describeObject, toAddress } from '@/lib/kube/object';
import type { DriftField, ManifestPolicy, WrittenManifest } from '@/server/dispatch';
import { ENGINE_MERGE_OPTIONS, findDrift, isBookkeeping } from '@/server/dispatch';

const MAX_NAMED = 5;
const MAX_LISTED = 50;

/** What a dispatch put back, as the record tells it: which fields, and who had set them. Values are never told. */
export interface Repair {
  /** The same for the same repair of the same object. */
  readonly key: string;
  readonly object: KubeObject;
  readonly sentence: string;
  readonly fields: readonly object[];
}

/** What a manifest that was written put back. */
export function repairOf({ manifest, tracker, before, after }: WrittenManifest, policy: ManifestPolicy): Repair {
  const fields =
    before === undefined
      ? []
      : findDrift({ manifest, live: before, tracker, policy, options: ENGINE_MERGE_OPTIONS }).filter(({ kept }) => kept === null);
  const what = describeObject(toAddress(after));
  return {
    key: `${before === undefined ? what : after.metadata.uid} ${fields.map(({ path, setBy }) => `${path} ${setBy?.manager}`).join(' ')}`,
    object: after,
    sentence: before === undefined ? `${what} was missing and was recreated` : `${what} was reverted: ${nameFields(fields)}`,
    fields: fields
      .slice(0, MAX_LISTED)
      .map(({ path, kind, setBy }) => ({ path, kind, ...(setBy === null ? {} : { manager: setBy.manager, since: setBy.since ?? null }) })),
  };
}

function nameFields(all: readonly DriftField[]): string {
  // Our own record follows what it records; it is named only where nothing else was put back.
  const content = all.filter(({ steps }) => !isBookkeeping(steps));
  const fields = content.length === 0 ? all : content;
  const named = fields
    .slice(0, MAX_NAMED)
    .map(
      ({ path, kind, setBy }) =>
        `${path} (${kind === 'removed' ? 'had been removed' : `set by ${setBy?.manager ?? 'an unknown manager'}`})`,
    );
  const more = fields.length - named.length;
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '');
}
