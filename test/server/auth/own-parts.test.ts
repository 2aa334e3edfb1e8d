import { describe, expect, it } from 'vitest';
import { toInstant } from '@/lib/std/instant';
import { createAccessReviews } from '@/server/auth/access-review';
import { FLUX_RESOURCES, RESOURCES } from '@/server/auth/act';
import { requireOrdinaryUser } from '@/server/auth/identity';
import { grantCommands, viewCommands } from '@/server/auth/rights/grant-commands';
import { nothingListed } from '@/server/auth/rights/refusal';
import type { Session } from '@/server/auth/session';
import { decryptToken, encryptToken, toPerson, toSessionView } from '@/server/auth/session';
import type { Cluster } from '@/server/kube';
import { ManualClock } from '@/test/support/manual-clock';
import { createFakeCluster } from './fake-cluster';

const SESSION: Session = {
  id: 's-1',
  mode: 'oidc',
  user: 'ann',
  groups: ['ops', 'system:authenticated'],
  person: { user: 'ann', groups: ['ops'], uid: 'u-1' },
  mayInvite: true,
  expiresAt: toInstant(Date.UTC(2026, 0, 1, 9, 0, 0)),
};

describe('[issue 10, 5] a credential that is kept', () => {
  const sealed = encryptToken('a-token', 'a-secret');
  const bytes = Buffer.from(sealed, 'base64url');
  const without = (at: number) => Buffer.from(bytes.map((byte, index) => (index === at ? byte ^ 1 : byte))).toString('base64url');

  it('opens with the secret that it was sealed with, and with no other', () => {
    expect([decryptToken(sealed, 'a-secret'), decryptToken(sealed, 'b-secret'), decryptToken(sealed, '')]).toEqual([
      'a-token',
      undefined,
      undefined,
    ]);
    expect(decryptToken(encryptToken('', 'a-secret'), 'a-secret')).toBe('');
  });

  it('opens no more where any part of it is another, or it is cut', () => {
    for (const at of [0, 11, 12, 27, 28, bytes.length - 1]) expect(decryptToken(without(at), 'a-secret'), `${at}`).toBeUndefined();
    for (const cut of ['', sealed.slice(0, 10), bytes.subarray(0, 28).toString('base64url')])
      expect(decryptToken(cut, 'a-secret'), cut).toBeUndefined();
  });

  it('is sealed another way each time and says nothing of itself', () => {
    expect(encryptToken('a-token', 'a-secret')).not.toBe(sealed);
    expect(bytes.toString('latin1')).not.toContain('a-token');
    expect(bytes).toHaveLength(12 + 16 + 'a-token'.length);
  });
});

describe('[issue 10, 1] a session', () => {
  it('is told without groups of the system and without what opens it', () => {
    const told = { user: 'ann', groups: ['ops'], mode: 'oidc', mayInvite: true, expiresAt: '2026-01-01T09:00:00.000Z' };
    expect(toSessionView(SESSION)).toStrictEqual(told);
    expect(toSessionView({ ...SESSION, leftOut: ['devs'] })).toStrictEqual({ ...told, leftOut: ['devs'] });
  });

  it('acts without groups of the system, and with uid and credential where it has them', () => {
    const identity = { user: 'ann', groups: SESSION.groups };
    expect(toPerson(identity)).toStrictEqual({ user: 'ann', groups: ['ops'] });
    expect(toPerson({ ...identity, uid: 'u-1', token: 'a-token' })).toStrictEqual({
      user: 'ann',
      groups: ['ops'],
      uid: 'u-1',
      token: 'a-token',
    });
  });
});

describe('[issue 14.3] the command that gives what is missing', () => {
  it('lets somebody read what the role view reads, in one namespace or in all', () => {
    expect(viewCommands('ann@example.com', 'shop')).toEqual([
      'kubectl create rolebinding slipway-view-ann-example.com --clusterrole=view --user=ann@example.com --namespace=shop',
    ]);
    expect(viewCommands('system:serviceaccount:ci:robot', undefined)).toEqual([
      'kubectl create clusterrolebinding slipway-view-system-serviceaccount-ci-robot --clusterrole=view --serviceaccount=ci:robot',
    ]);
    expect([viewCommands('ann\u0000', 'shop'), viewCommands('ann', 'shop\u202e'), viewCommands('ann\u2028', undefined)]).toEqual([
      [],
      [],
      [],
    ]);
  });

  it('makes somebody an administrator where the right is to sessions, which no API server serves', () => {
    const right = { verb: 'list', ...RESOURCES.sessions };
    expect(grantCommands('ann', [right])).toEqual([
      'kubectl create clusterrolebinding slipway-administrator-ann --clusterrole=slipway:administrator --user=ann',
    ]);
    for (const other of [
      { ...right, group: 'example.com' },
      { ...right, resource: 'others' },
    ])
      expect(grantCommands('ann', [other])[0]).toMatch(/^kubectl create clusterrole slipway-list-/);
  });

  it('names group, subresource and object where the right does, and leaves out what it does not', () => {
    const commands = (more: object) => grantCommands('ann', [{ verb: 'get', group: '', resource: 'pods', ...more }])[0];
    expect([commands({}), commands({ group: 'a.io', subresource: 'log', name: 'web', namespace: 'shop' })]).toEqual([
      'kubectl create clusterrole slipway-get-pods --verb=get --resource=pods',
      'kubectl create role slipway-get-pods-log-web --verb=get --resource=pods.a.io/log --resource-name=web --namespace=shop',
    ]);
    expect(grantCommands('ann', [{ verb: 'get', group: '', resource: 'pods' }])[1]).toBe(
      'kubectl create clusterrolebinding slipway-get-pods-ann --clusterrole=slipway-get-pods --user=ann',
    );
  });

  it('makes a role for each of several resources of one name, refused together or one by one', () => {
    const rights = ['helm.fluxcd.io', 'flux.weave.works'].map((group) => ({ verb: 'list', group, resource: 'helmreleases' }));
    expect(grantCommands('ann', rights).map((command) => command.split(' ')[3])).toEqual([
      'slipway-list-helmreleases.helm.fluxcd.io',
      'slipway-list-helmreleases.helm.fluxcd.io-ann',
      'slipway-list-helmreleases.flux.weave.works',
      'slipway-list-helmreleases.flux.weave.works-ann',
    ]);
    const alone = ['helm.fluxcd.io', 'flux.weave.works', 'helm.toolkit.fluxcd.io'].map(
      (group) => grantCommands('ann', [{ verb: 'list', group, resource: 'helmreleases', namespace: 'shop' }])[1]?.split(' ')[3],
    );
    expect(alone).toEqual([
      'slipway-list-helmreleases.helm.fluxcd.io-ann',
      'slipway-list-helmreleases.flux.weave.works-ann',
      'slipway-list-helmreleases.helm.toolkit.fluxcd.io-ann',
    ]);
  });

  it('is told for no right of several where one has signs that nobody sees', () => {
    const right = { verb: 'get', group: '', resource: 'pods', namespace: 'shop' };
    expect(grantCommands('ann', [right, { ...right, name: 'web\u0000' }])).toEqual([]);
    expect(grantCommands('ann', [right, right])).toHaveLength(4);
  });

  it('names roles as Kubernetes takes them: in small letters, without other signs, of two hundred at the most', () => {
    const right = { verb: 'get', group: '', resource: 'pods', namespace: 'shop', name: 'W'.repeat(300) };
    const [role = '', binding = ''] = grantCommands('__Ann__Lee', [right]);
    expect(role).toContain(`kubectl create role slipway-get-pods-${'w'.repeat(200 - 'slipway-get-pods-'.length)} --verb=get`);
    expect(binding.split(' ')[3]).toHaveLength(200);
    expect(grantCommands('__Ann__Lee', [{ ...right, name: 'web' }])[1]).toContain(' slipway-get-pods-web-ann-lee ');
  });

  it('is for a service account only where the whole name is one', () => {
    for (const user of [
      'system:serviceaccount:ci',
      'xsystem:serviceaccount:ci:robot',
      'system:serviceaccount:ci:robot:x',
      'system:serviceaccount::x',
    ])
      expect(viewCommands(user, 'shop')[0], user).toContain(`--user=${user}`);
  });
});

describe('[issue 10, 1] what somebody may', () => {
  it('is asked of each namespace, and told in order', async () => {
    const cluster = createFakeCluster({ namespaces: ['shop', 'bank', 'cafe'], may: ({ namespace }) => namespace !== 'cafe' });
    const reviews = createAccessReviews(cluster, new ManualClock());
    const right = { verb: 'list', ...RESOURCES.applications };
    expect(await reviews.namespacesWith(SESSION, right)).toEqual(['bank', 'shop']);
    expect(cluster.asked.map(({ namespace }) => namespace).sort()).toEqual(['bank', 'cafe', 'shop']);
    expect(await reviews.may(SESSION, { ...right, namespace: 'cafe' })).toBe(false);
  });

  it('is not told where the namespaces cannot be listed, with why', async () => {
    const failing = {
      ...createFakeCluster(),
      // biome-ignore lint/correctness/useYield: it fails before the first page
      async *list() {
        throw new Error('the cluster is away');
      },
    } as unknown as Cluster;
    await expect(
      createAccessReviews(failing, new ManualClock()).namespacesWith(SESSION, { verb: 'list', ...RESOURCES.applications }),
    ).rejects.toMatchObject({
      code: 'unavailable',
      message: 'the namespaces of the cluster could not be listed: the cluster is away',
      cause: new Error('the cluster is away'),
    });
  });
});

it('[issue 10, 1] rights are asked by the names that Kubernetes, Flux and the server have for what they are to', () => {
  const namesOf = (all: Readonly<Record<string, { readonly group: string; readonly resource: string }>>) =>
    Object.fromEntries(Object.entries(all).map(([name, { group, resource }]) => [name, `${resource}.${group}`]));
  expect(namesOf(RESOURCES)).toEqual({
    applications: 'applications.core.oam.dev',
    trackers: 'resourcetrackers.core.oam.dev',
    rollouts: 'rolloutorchestrators.serving.knative.dev',
    baseReleases: 'fluxhelmreleases.helm.integrations.flux.weave.works',
    laterReleases: 'helmreleases.helm.fluxcd.io',
    olderReleases: 'helmreleases.flux.weave.works',
    decisions: 'stagedecisions.slipway.dev',
    releaseDecisions: 'releasedecisions.slipway.dev',
    sessions: 'sessions.slipway.dev',
  });
  expect(namesOf(FLUX_RESOURCES)).toEqual({
    'helmrelease-v2': 'helmreleases.helm.toolkit.fluxcd.io',
    gitrepository: 'gitrepositories.source.toolkit.fluxcd.io',
    helmrepository: 'helmrepositories.source.toolkit.fluxcd.io',
    ocirepository: 'ocirepositories.source.toolkit.fluxcd.io',
    helmchart: 'helmcharts.source.toolkit.fluxcd.io',
  });
});

it('[issue 10, 1] a name of white space alone is none, and signs nobody in', () => {
  for (const name of ['', ' ', '\u00a0 '])
    expect(() => requireOrdinaryUser(name)).toThrow(
      expect.objectContaining({ code: 'unauthenticated', message: 'the sign-in names no user' }),
    );
});

it('[issue 14.3] who may list nothing is told where, and the command that lets them, there and nowhere else', () => {
  expect(nothingListed(SESSION, 'shop')).toMatchObject({
    code: 'forbidden',
    message: 'ann may not list any kind in namespace shop',
    details: { grant: viewCommands('ann', 'shop') },
  });
  expect(nothingListed(SESSION, undefined)).toMatchObject({
    message: 'ann may not list any kind in all namespaces; choose a namespace to see what you may list in it',
    details: { grant: viewCommands('ann', undefined) },
  });
});
