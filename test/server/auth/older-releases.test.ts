import { expect, it } from 'vitest';
import type { Act } from '@/server/auth/act';
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
