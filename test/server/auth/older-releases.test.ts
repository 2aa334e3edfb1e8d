import { expect, it } from 'vitest';
import type { Act, Visibility } from '@/server/auth/act';
import type { AskedRight } from './fake-cluster';
import { createAuthRig } from './rig';

const AT = { of: 'helmrelease-v1beta1', ns: 'shop', name: 'web' } as const;
const HELM_RELEASES = { group: 'flux.weave.works', resource: 'helmreleases', namespace: 'shop' };

it.each<[string, Act]>([
  ['get', { kind: 'view-topic', topic: { kind: 'release', ...AT } }],
  ['sync', { kind: 'decide-release', verb: 'sync', ...AT }],
  ['update', { kind: 'change-release', ...AT }],
  ['delete', { kind: 'delete-release', ...AT }],
])(
  '[issue 12.4] to %s a HelmRelease of flux.weave.works is a right of its own, which that to helm.fluxcd.io does not give',
  async (verb, act) => {
    const { auth, cluster, signIn } = createAuthRig();
    await auth.authorise((await signIn()).session, act);
    expect(cluster.asked.at(-1)).toMatchObject({ verb, ...HELM_RELEASES });
    const other = createAuthRig({ may: ({ group }) => group !== HELM_RELEASES.group });
    await expect(other.auth.authorise((await other.signIn()).session, act)).rejects.toThrow(`"${verb}" on helmreleases.flux.weave.works`);
  },
);

it('[issue 12.4] the table of releases has them in those of its namespaces where they may be listed; without that right it is what it was', async () => {
  const [base, later, older] = [
    'fluxhelmreleases.helm.integrations.flux.weave.works',
    'helmreleases.helm.fluxcd.io',
    'helmreleases.flux.weave.works',
  ];
  const seen = async (...held: readonly string[]) => {
    const may = ({ verb, group, resource, namespace = '*' }: AskedRight) =>
      verb === 'list' && held.some((one) => `${resource}.${group} ${namespace}`.startsWith(one));
    const { auth, signIn } = createAuthRig({ namespaces: ['bank', 'shop'], may });
    return auth.authorise((await signIn()).session, { kind: 'view-topic', topic: { kind: 'releases', query: {} } });
  };
  const table = (visibility: Visibility, olderReleases: Visibility) => ({ visibility, releases: [], olderReleases });
  expect(await seen(base, later)).toEqual(table('all', []));
  expect(await seen(base, later, older)).toEqual(table('all', 'all'));
  expect(await seen(base, later, `${older} bank`)).toEqual(table('all', ['bank']));
  expect(await seen(base, `${later} shop`, older)).toEqual(table(['shop'], ['shop']));
  expect(await seen(base, `${later} shop`, `${older} bank`)).toEqual(table(['shop'], []));
});
