import { describe, expect, it } from 'vitest';
import { LiveObjects } from '@/server/chartsync/cluster/live-objects';
import { ComparisonCache } from '@/server/chartsync/compare/comparison-cache';
import type { StoredRevision } from '@/server/chartsync/model/release';
import type { ReleaseRequest } from '@/server/chartsync/ports';
import type { Cluster } from '@/server/kube';
import { realClock } from '@/server/platform';

const act = { release: { namespace: 'pay', name: 'pay-ledger' }, onBehalfOf: { namespace: 'pay', account: undefined } };
const unread = () => {
  throw new Error('it was read');
};

describe('a release that is large', () => {
  it('[issue 12, 2] is parsed no further than its first object where only the mark on that is wanted', async () => {
    const first = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: first }\n';
    const cluster = {
      discovery: { resolveKind: async () => ({ group: '', version: 'v1', namespaced: true }) },
      get: async () => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'first', annotations: { mark: 'ours' } } }),
    } as unknown as Cluster; // it is asked for no more
    const storage = {
      readHistory: async () => [{ revision: 1, status: 'deployed' as const }],
      readManifest: async () => `---\n${first}---\nkind: *unknown\n`,
      readHooks: async () => [],
    };
    const live = new LiveObjects({ storage, clusterFor: () => cluster, cluster, clock: realClock });
    expect(await live.readMark(act, 'mark')).toBe('ours');
    await expect(live.read(act)).rejects.toThrow(/unknown/);
  });

  it('[issue 12, 2] is known to be the same by the digest that was taken when it was read, and its content is not gone through', async () => {
    const memory = new ComparisonCache({
      helm: { fingerprint: async () => 'chart', dryRun: async () => unread() },
      isOn: true,
      intervalMs: 0,
      clock: realClock,
    });
    const request = { ...act, values: { a: 1 } } as unknown as ReleaseRequest; // no more of it counts here
    const stored = (digest: string): StoredRevision => ({
      revision: 1,
      status: 'deployed',
      digest,
      get chart() {
        return unread();
      },
      get values() {
        return unread();
      },
    });
    await memory.note(request, stored('one'), true);
    expect(await memory.holds(request, stored('one'))).toBe(true);
    expect(await memory.holds(request, stored('two'))).toBe(false);
    expect(await memory.holds({ ...request, values: { a: 2 } }, stored('one'))).toBe(false);
  });
});
