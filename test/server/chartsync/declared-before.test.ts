import { expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { formatDeclaredBefore } from '@/lib/words/releases/format-declared-before';
import type { LiveObjects } from '@/server/chartsync/cluster/live-objects';
import type { NewestRevision } from '@/server/chartsync/helm/storage';
import { DeclaredBeforeReader } from '@/server/chartsync/undeclared/declared-before';
import type { Store } from '@/server/kube';

const NEWEST = { release: { namespace: 'pay', name: 'web' }, entry: { revision: 1, status: 'deployed' }, version: '1', uid: 'u' };
const UNSERVED = { kind: 'retrying', isMissing: true };

it.each<[string, { readonly state: object; readonly synced?: boolean; readonly isDefined?: boolean }, string]>([
  ['is not served', { state: UNSERVED }, 'declared it, and whether it still does is not known'],
  ['may not be listed', { state: { kind: 'refused', verb: 'list' } }, 'declared it, and whether it still does is not known'],
  ['is not served any more, though it was', { state: UNSERVED, synced: true }, 'declared it and was deleted'],
  ['is not defined any more', { state: UNSERVED, isDefined: false }, 'declared it and was deleted'],
])(
  '[issue 12.1] what became of a resource that declared a release is told, where its kind %s',
  async (_what, { state, synced = false, isDefined = true }, said) => {
    const store = { scope: KINDS.olderHelmRelease, get: () => undefined, health: () => ({ synced, state }) } as unknown as Store; // no more of it is asked for
    const reader = new DeclaredBeforeReader(
      { readMarks: async () => ({ 'flux.weave.works/antecedent': 'pay:helmrelease/web' }) } as Pick<LiveObjects, 'readMarks'>,
      {
        stores: [store],
        journal: { deletions: () => new Map(), loops: () => ({ kind: 'elsewhere' }) },
        isUndefined: async () => !isDefined,
      },
    );
    const told = await reader.begin()(NEWEST as NewestRevision);
    expect(told && formatDeclaredBefore(told)).toContain(`HelmRelease.flux.weave.works pay/web ${said}`);
  },
);
