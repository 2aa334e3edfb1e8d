import type { ReleaseHooks } from '@/lib/contract/release-log';
import type { LiveObjects } from '../../cluster/live-objects';
import { hiddenOf } from '../../helm/masking/hidden-values';
import { maskerOf } from '../../helm/masking/mask-values';
import type { HelmStorage } from '../../helm/storage';
import type { ReleaseRef } from '../../model/release';

/** The hooks of the newest stored revision, and what masks its values in what they write. */
export interface HooksOfRelease extends Pick<ReleaseHooks, 'hooks'> {
  readonly mask: (text: string) => string;
}

export const NO_HOOKS: HooksOfRelease = { hooks: [], mask: (text) => text };

/** Reads them; none where Helm has stored no revision. */
export async function readReleaseHooks(
  { storage, live }: { readonly storage: HelmStorage; readonly live: LiveObjects },
  release: ReleaseRef,
): Promise<HooksOfRelease> {
  const newest = (await storage.readHistory(release)).at(-1)?.revision;
  if (newest === undefined) return NO_HOOKS;
  const stored = await storage.readRevision(release, newest);
  const found = await live.readEachHook(release, newest);
  const hooks = found.map(({ hook: { events, lastRun }, object: { apiVersion, kind, metadata } }) => ({
    apiVersion,
    kind,
    ns: metadata.namespace ?? release.namespace,
    name: metadata.name ?? '',
    events: [...events],
    lastRun,
    hasLog: kind === 'Job' || kind === 'Pod',
  }));
  return { hooks, mask: maskerOf(hiddenOf(stored)) };
}
