import { describe, expect, it } from 'vitest';
import type { Act } from '@/server/auth';
import type { AskedRight } from './fake-cluster';
import { createAuthRig } from './rig';

const line = ({ verb, resource, namespace, name }: AskedRight) => [verb, resource, namespace ?? '*', name ?? '*'].join(' ');

describe('rights to a kind that an address names', () => {
  const kind = (over: Partial<Act & { readonly kind: 'view-kind' }>): Act => ({
    kind: 'view-kind',
    verb: 'get',
    of: { group: '', named: 'Secret' },
    ns: 'shop',
    ...over,
  });
  const askedFor = async (act: Act, held: readonly string[]) => {
    const { auth, cluster, signIn } = createAuthRig({ may: (right) => held.includes(line(right)) });
    const granted = await auth.authorise((await signIn()).session, act).then(
      () => true,
      (error: { readonly code: string }) => error.code,
    );
    return [granted, ...cluster.asked.map(line)];
  };

  it('[issue 14] are held everywhere, where it is, or to the one alone, and asked for in this order', async () => {
    const [all, some, one] = ['get secrets * *', 'get secrets shop *', 'get secrets shop key'];
    expect(await askedFor(kind({ name: 'key' }), [all])).toEqual([true, all]);
    expect(await askedFor(kind({ name: 'key' }), [some])).toEqual([true, all, some]);
    expect(await askedFor(kind({ name: 'key' }), [one])).toEqual([true, all, some, one]);
    expect(await askedFor(kind({ name: 'key' }), ['get secrets shop other'])).toEqual(['forbidden', all, some, one]);
    expect(await askedFor(kind({}), [one])).toEqual(['forbidden', all, some]);
    expect(await askedFor(kind({ verb: 'list' }), ['list secrets shop *'])).toEqual([true, 'list secrets * *', 'list secrets shop *']);
    expect(await askedFor(kind({ verb: 'list', ns: undefined }), ['list secrets shop *'])).toEqual(['forbidden', 'list secrets * *']);
  });

  it('[issue 14] of no namespace are those of the whole cluster, whatever namespace an address names', async () => {
    const of = { group: '', named: 'Namespace' };
    const [all, one] = ['get namespaces * *', 'get namespaces * shop'];
    expect(await askedFor(kind({ of, name: 'shop', ns: 'shop' }), [one])).toEqual([true, all, one]);
    expect(await askedFor(kind({ of, name: 'shop', ns: undefined }), ['get namespaces shop *'])).toEqual(['forbidden', all, one]);
  });

  it('[issue 14] are not asked for where one of several namespaces is not named, or nobody serves the kind', async () => {
    expect(await askedFor(kind({ name: 'key', ns: undefined }), [])).toEqual(['invalid']);
    expect(await askedFor(kind({ of: { group: 'example.com', named: 'Nonsense' } }), [])).toEqual(['not-found']);
  });
});
