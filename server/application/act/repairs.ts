import type { KubeObject } from '@/lib/kube/object';
import { describeObject, toAddress } from '@/lib/kube/object';
import type { DriftField, ManifestPolicy, WrittenManifest } from '@/server/dispatch';
import { findDrift, isBookkeeping, STANDING_OPTIONS } from '@/server/dispatch';
import type { ActContext } from './context';
import { record } from './context';

const MOST_NAMED = 5;
const MOST_LISTED = 50;

/** Puts on record what a dispatch put back: which fields, and who had set them. Values are never told. */
export async function recordRepairs(
  context: ActContext,
  written: readonly WrittenManifest[],
  policyOf: (manifest: KubeObject) => ManifestPolicy,
): Promise<void> {
  for (const one of written) await recordRepair(context, one, policyOf(one.manifest));
}

async function recordRepair(context: ActContext, { manifest, tracker, before, after }: WrittenManifest, policy: ManifestPolicy): Promise<void> {
  const fields =
    before === undefined ? [] : findDrift({ manifest, live: before, tracker, policy, options: STANDING_OPTIONS }).filter(({ kept }) => kept === null);
  const { uid = '', resourceVersion = '' } = after.metadata;
  const about = toAddress(after);
  const key = `${before === undefined ? describeObject(about) : uid} ${fields.map(({ path, setBy }) => `${path} ${setBy?.manager}`).join(' ')}`;
  const untold = context.repairs.take(key, context.deps.clock.now());
  if (untold === undefined) return;
  const often = untold === 0 ? '' : `; so it was ${untold} more ${untold === 1 ? 'time' : 'times'} since it was last told`;
  await record(context, {
    id: `drift.repaired:${uid}:${resourceVersion}`,
    action: 'drift.repaired',
    about,
    message: `${describeObject(about)} ${before === undefined ? 'was gone and is made again' : `is put back: ${nameFields(fields)}`}${often}`,
    data: {
      fields: fields
        .slice(0, MOST_LISTED)
        .map(({ path, kind, setBy }) => ({ path, kind, ...(setBy === null ? {} : { manager: setBy.manager, since: setBy.since ?? null }) })),
    },
  });
}

function nameFields(all: readonly DriftField[]): string {
  // Our own record follows what it records; it is named only where nothing else was put back.
  const content = all.filter(({ steps }) => !isBookkeeping(steps));
  const fields = content.length === 0 ? all : content;
  const named = fields
    .slice(0, MOST_NAMED)
    .map(({ path, kind, setBy }) => `${path} (${kind === 'removed' ? 'it was gone' : `set by ${setBy?.manager ?? 'an unknown manager'}`})`);
  const more = fields.length - named.length;
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '');
}
