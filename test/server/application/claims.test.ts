import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { parseApplication } from '@/server/application';
import type { ClaimDeps, Claims } from '@/server/application/observe/claims';
import { explainClaim, findForeignClaim } from '@/server/application/observe/claims';
import { LABEL } from '@/server/dispatch';
import { NoMatchError } from '@/server/kube';

const application = (policies: readonly object[] = []) =>
  parseApplication({
    ...KINDS.application,
    metadata: { name: 'web', namespace: 'shop', uid: 'app', generation: 1 },
    spec: { components: [{ name: 'set', type: 'k8s-objects', properties: { objects: [] } }], policies },
  });
const manifest: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'shop' } };
const nobody: Claims = { trackerNamed: () => undefined, trackers: [], recordedBy: () => undefined };
const labelled = (name?: string, namespace?: string) => ({
  ...(name === undefined ? {} : { [LABEL.appName]: name }),
  ...(namespace === undefined ? {} : { [LABEL.appNamespace]: namespace }),
});
const live = (metadata: Partial<KubeObject['metadata']> = {}): KubeObject => ({
  ...manifest,
  metadata: { ...manifest.metadata, uid: 'there', ...metadata },
});
const owner = { ...KINDS.resourceTracker, name: 'tracker-1', uid: 't', controller: true };
const entry = (uid: string) => ({ uid }) as Claims['trackers'][number]['entries'][number];

describe('an object that is there', () => {
  const ALONE =
    'ConfigMap settings in shop exists and belongs to no application, so application shop/web leaves it alone; select it in a take-over policy to adopt it, or in a read-only policy to use it as it is';
  const OTHERS =
    'ConfigMap settings in shop belongs to application bank/web, and application shop/web needs it too; rename it in one of them';

  it.each<[string, KubeObject, Claims, string | undefined]>([
    ['of nobody', live(), nobody, ALONE],
    ['whose labels name it in full', live({ labels: labelled('web', 'shop') }), nobody, undefined],
    ['whose labels name another application of this namespace', live({ labels: labelled('api', 'shop') }), nobody, ALONE],
    ['whose labels name one of this name elsewhere', live({ labels: labelled('web', 'bank') }), nobody, ALONE],
    ['whose labels name no namespace', live({ labels: labelled('web') }), nobody, ALONE],
    [
      'that a tracker of its own controls',
      live({ ownerReferences: [owner] }),
      { ...nobody, trackerNamed: (name) => (name === 'tracker-1' ? { labels: labelled('web', 'shop') } : undefined) },
      undefined,
    ],
    [
      'that the tracker of another controls, though its labels name this one',
      live({ ownerReferences: [owner], labels: labelled('web', 'shop') }),
      { ...nobody, trackerNamed: () => ({ labels: labelled('web', 'bank') }) },
      OTHERS,
    ],
    [
      'that a tracker controls which is gone, by the labels it has',
      live({ ownerReferences: [owner], labels: labelled('web', 'bank') }),
      nobody,
      OTHERS,
    ],
    [
      'that something else controls, and that is not the tracker of anybody',
      live({ ownerReferences: [{ ...owner, kind: 'Deployment', apiVersion: 'apps/v1' }], labels: labelled('web', 'bank') }),
      nobody,
      ALONE,
    ],
    [
      'that a tracker of nobody controls',
      live({ ownerReferences: [owner], labels: labelled(undefined, 'bank') }),
      { ...nobody, trackerNamed: () => ({ labels: labelled('web') }) },
      ALONE,
    ],
    [
      'that a tracker controls which is gone, and whose labels name no application',
      live({ ownerReferences: [owner], labels: labelled(undefined, 'bank') }),
      nobody,
      ALONE,
    ],
    ['that its own record lists', live(), { ...nobody, trackers: [{ entries: [entry('other'), entry('there')] }] }, undefined],
    ['of which its own record lists others', live(), { ...nobody, trackers: [{ entries: [entry('other')] }] }, ALONE],
    [
      'that the record of another lists, though its labels name this one',
      live({ labels: labelled('web', 'shop') }),
      { ...nobody, recordedBy: (uid) => (uid === 'there' ? 'bank/web' : undefined) },
      OTHERS,
    ],
  ])('[issue 9.4] %s', (_what, object, claims, why) => {
    expect(explainClaim(application(), manifest, object, claims)).toBe(why);
  });

  it('[issue 9.4] may be adopted or used by a policy that selects it, and adopted from no other application', () => {
    const rules = [{ selector: { resourceNames: ['settings'] } }];
    const takeOver = application([{ name: 'own', type: 'take-over', properties: { rules } }]);
    const readOnly = application([{ name: 'use', type: 'read-only', properties: { rules } }]);
    const others: Claims = { ...nobody, recordedBy: () => 'bank/web' };
    expect([takeOver, readOnly].map((one) => explainClaim(one, manifest, live(), nobody))).toEqual([undefined, undefined]);
    expect([takeOver, readOnly].map((one) => explainClaim(one, manifest, live(), others))).toEqual([OTHERS, undefined]);
    const elsewhere = application([
      { name: 'own', type: 'take-over', properties: { rules: [{ selector: { resourceNames: ['other'] } }] } },
    ]);
    expect(explainClaim(elsewhere, manifest, live(), nobody)).toBe(ALONE);
  });
});

describe('before anything is applied', () => {
  const asked: string[] = [];
  const deps = (known: KubeObject | undefined, lacks: boolean | undefined, served: KubeObject | undefined): ClaimDeps => ({
    ...nobody,
    cache: { read: () => known, ...(lacks === undefined ? {} : { lacks: () => lacks }) } as unknown as ClaimDeps['cache'],
    client: {
      discovery: { resolveKind: async () => ({ plural: 'configmaps', namespaced: true }) },
      get: async ({ name }: { readonly name: string }) => {
        asked.push(name);
        if (served === undefined) throw Object.assign(new Error('not found'), { code: 'notFound' });
        return served;
      },
    } as unknown as ClaimDeps['client'],
    signal: new AbortController().signal,
    yieldToEventLoop: () => undefined,
  });
  const find = (known: KubeObject | undefined, lacks: boolean | undefined, served?: KubeObject) => {
    asked.length = 0;
    return findForeignClaim(application(), [manifest], deps(known, lacks, served));
  };

  it('[issue 9.4] is what the copies know believed, and what they do not know the server is asked', async () => {
    const why = expect.stringMatching(/^ConfigMap settings in shop exists and belongs to no application, .*; nothing was changed$/);
    expect([await find(live(), undefined), asked.length]).toEqual([why, 0]);
    expect([await find(undefined, true, live()), asked.length]).toEqual([undefined, 0]);
    expect([await find(undefined, false, live()), asked.length]).toEqual([why, 1]);
    expect([await find(undefined, undefined, live()), asked.length]).toEqual([why, 1]);
  });

  it('[issue 9.4] is an object looked for where its kind lies, and one of a kind that nobody serves in its turn', async () => {
    const looked: object[] = [];
    const resolving = (resolveKind: () => Promise<object>): ClaimDeps => {
      const given = deps(undefined, true, undefined);
      const cache = { read: (at: object) => void looked.push(at), lacks: () => true } as unknown as ClaimDeps['cache'];
      return { ...given, cache, client: { ...given.client, discovery: { resolveKind } } as unknown as ClaimDeps['client'] };
    };
    const bare: KubeObject = { ...manifest, metadata: { name: 'bare' } };
    const go = (resolveKind: () => Promise<object>) => findForeignClaim(application(), [manifest, bare], resolving(resolveKind));
    await go(async () => ({ namespaced: true }));
    await go(async () => ({ namespaced: false }));
    const at = { apiVersion: 'v1', kind: 'ConfigMap' };
    expect(looked).toEqual([
      { ...at, name: 'settings', namespace: 'shop' },
      { ...at, name: 'bare' },
      { ...at, name: 'settings' },
      { ...at, name: 'bare' },
    ]);
    expect(await go(() => Promise.reject(new NoMatchError(at)))).toBeUndefined();
    expect(looked.length).toBe(4);
    await expect(go(() => Promise.reject(new Error('the API server is gone')))).rejects.toThrow('the API server is gone');
  });
});
