import { describe, expect, it } from 'vitest';
import type { Topic } from '@/lib/contract/topic';
import type { Act } from '@/server/auth';
import type { AuthDeps } from '@/server/auth/auth';
import type { AskedRight } from './fake-cluster';
import { createAuthRig } from './rig';

// Two groups call their releases helmreleases.
const line = ({ verb, group, resource, subresource, namespace, name }: AskedRight) => {
  const of = group.includes('toolkit') ? 'toolkit/' : group === 'flux.weave.works' ? 'older/' : '';
  const what = `${of}${resource}${subresource === undefined ? '' : `/${subresource}`}`;
  return [verb, what, namespace ?? '*', name ?? '*'].join(' ');
};
const KNOWN: AuthDeps['known'] = { servesFlux: () => true, trackedBy: () => undefined };
const view = (topic: Topic): Act => ({ kind: 'view-topic', topic });

const RELEASES = ['list fluxhelmreleases * *', 'list helmreleases * *'];
const OLDER_RELEASES = 'list older/helmreleases * *';

/** Rights that an act goes without, and shows less then. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  inbox: [
    ...RELEASES,
    OLDER_RELEASES,
    ...['helmreleases', 'gitrepositories', 'helmrepositories', 'ocirepositories', 'helmcharts'].map((kind) => `list toolkit/${kind} * *`),
  ],
  releases: ['list toolkit/helmreleases * *', OLDER_RELEASES],
};

/** Every act that wants rights, and the reviews that all of them must pass. */
const ACTS: readonly (readonly [string, Act, readonly string[]])[] = [
  ['inbox', view({ kind: 'inbox' }), ['list applications * *']],
  ['engine', view({ kind: 'engine' }), ['list applications * *']],
  ['applications', view({ kind: 'applications', query: {} }), ['list applications * *']],
  ['rollouts', view({ kind: 'rollouts', query: {} }), ['list rolloutorchestrators * *']],
  ['trackers', view({ kind: 'trackers', query: {} }), ['list resourcetrackers * *']],
  ['strays', view({ kind: 'strays', query: {} }), ['list resourcetrackers * *']],
  ['activity', view({ kind: 'activity', query: {} }), ['list applications * *']],
  ['application', view({ kind: 'application', ns: 'shop', name: 'web' }), ['get applications shop *']],
  ['releases', view({ kind: 'releases', query: {} }), RELEASES],
  [
    'sources of Flux',
    view({ kind: 'flux-sources', query: {} }),
    ['gitrepositories', 'helmrepositories', 'ocirepositories', 'helmcharts'].map((resource) => `list toolkit/${resource} * *`),
  ],
  ['release of Flux', view({ kind: 'flux', ns: 'shop', of: 'helmrelease-v2', name: 'web' }), ['get toolkit/helmreleases shop *']],
  ['source of Flux', view({ kind: 'flux', ns: 'shop', of: 'ocirepository', name: 'web' }), ['get toolkit/ocirepositories shop *']],
  ['asking Flux', { kind: 'act-on-flux', of: 'helmchart', ns: 'shop', name: 'web' }, ['patch toolkit/helmcharts shop web']],
  ['release', view({ kind: 'release', ns: 'shop', of: 'helmrelease', name: 'web' }), ['get helmreleases shop *']],
  ['rollout', view({ kind: 'rollout', ns: 'shop', name: 'web' }), ['get rolloutorchestrators shop *']],
  ['tracker', view({ kind: 'tracker', name: 'web-v1-shop' }), ['get resourcetrackers * *']],
  ['object', { kind: 'view-object', type: { apiVersion: 'v1', kind: 'Secret' }, ns: 'shop', name: 'key' }, ['get secrets shop key']],
  [
    'cluster-scoped object',
    { kind: 'view-object', type: { apiVersion: 'v1', kind: 'Namespace' }, ns: 'shop', name: 'shop' },
    ['get namespaces * shop'],
  ],
  ['sessions of everybody', { kind: 'see-sessions' }, ['list sessions * *']],
  ['ending a session of somebody else', { kind: 'end-session', user: 'ada' }, ['delete sessions * *']],
  ['record', { kind: 'view-record', ns: undefined }, ['list applications * *']],
  [
    'approve',
    { kind: 'decide', on: 'rollout', verb: 'approve', ns: 'shop', name: 'web' },
    ['create stagedecisions shop *', 'approve rolloutorchestrators shop web'],
  ],
  [
    'sync',
    { kind: 'decide-release', of: 'helmrelease', verb: 'sync', ns: 'shop', name: 'web' },
    ['create releasedecisions shop *', 'sync helmreleases shop web'],
  ],
  ['change release', { kind: 'change-release', of: 'helmrelease', ns: 'shop', name: 'web' }, ['update helmreleases shop web']],
  ['uninstall', { kind: 'delete-release', of: 'fluxhelmrelease', ns: 'shop', name: 'web' }, ['delete fluxhelmreleases shop web']],
  [
    'abort',
    { kind: 'decide', on: 'rollout', verb: 'abort', ns: 'shop', name: 'web' },
    ['create stagedecisions shop *', 'abort rolloutorchestrators shop web'],
  ],
  [
    'garbage',
    { kind: 'decide', on: 'application', verb: 'approve', ns: 'shop', name: 'web' },
    ['create stagedecisions shop *', 'approve applications shop web'],
  ],
  ['change', { kind: 'change-application', ns: 'shop', name: 'web' }, ['update applications shop web']],
  ['create', { kind: 'create-application', ns: 'shop', name: 'web' }, ['create applications shop *']],
  ['create somewhere', { kind: 'create-somewhere' }, ['create applications * *']],
  ['delete', { kind: 'delete-application', ns: 'shop', name: 'web' }, ['delete applications shop web']],
  ['base release', view({ kind: 'release', ns: 'shop', of: 'fluxhelmrelease', name: 'web' }), ['get fluxhelmreleases shop *']],
  [
    'restart',
    { kind: 'act-on-object', verb: 'restart', type: { apiVersion: 'v1', kind: 'Secret' }, ns: 'shop', name: 'key' },
    ['patch secrets shop key'],
  ],
  [
    'edit',
    { kind: 'act-on-object', verb: 'edit', type: { apiVersion: 'v1', kind: 'Secret' }, ns: 'shop', name: 'key' },
    ['update secrets shop key'],
  ],
  [
    'deletion',
    { kind: 'act-on-object', verb: 'delete', type: { apiVersion: 'v1', kind: 'Secret' }, ns: 'shop', name: 'key' },
    ['delete secrets shop key'],
  ],
  ['facets', view({ kind: 'facets', of: 'rollouts' }), ['list rolloutorchestrators * *']],
  ['logs of a namespace', { kind: 'view-logs', ns: 'shop' }, ['list pods shop *', 'get pods/log shop *']],
  ['logs of a pod', { kind: 'view-logs', ns: 'shop', pod: 'web-1' }, ['get pods shop *', 'get pods/log shop *']],
  [
    'logs of an application',
    { kind: 'view-logs', ns: 'shop', application: 'web' },
    ['get applications shop *', 'list pods shop *', 'get pods/log shop *'],
  ],
  ['a terminal', { kind: 'open-terminal', ns: 'shop', pod: 'web-1' }, ['get pods shop web-1', 'create pods/exec shop web-1']],
  ['forwarded ports', { kind: 'forward-ports', ns: 'shop', pod: 'web-1' }, ['get pods shop web-1', 'create pods/portforward shop web-1']],
  ['an undeclared release', { kind: 'view-undeclared', ns: 'shop' }, ['list fluxhelmreleases shop *', 'list helmreleases shop *']],
  ['uninstalling that', { kind: 'uninstall-undeclared', ns: 'shop' }, ['create releasedecisions shop *', 'update secrets shop *']],
  ['a kind', { kind: 'view-kind', verb: 'list', of: { group: '', named: 'Secret' }, ns: undefined }, ['list secrets * *']],
  [
    'write',
    { kind: 'write-object', right: { verb: 'patch', group: 'apps', resource: 'deployments', namespace: 'shop', name: 'web' } },
    ['patch deployments shop web'],
  ],
];

describe('rights', () => {
  it.each(ACTS)('[design 8] %s asks the cluster for exactly what it needs', async (name, act, wanted) => {
    const { auth, cluster, signIn } = createAuthRig({}, { known: KNOWN });
    const { session } = await signIn();
    const also = ALSO[name] ?? [];
    expect(await auth.authorise(session, act)).toEqual({
      visibility: 'all',
      ...(also.length > 0 && { releases: 'all', olderReleases: 'all' }),
      ...(name === 'inbox' && { flux: 'all' }),
    });
    const asked = cluster.asked.map(line);
    expect([...asked.slice(0, wanted.length), ...asked.slice(wanted.length).sort()]).toEqual([...wanted, ...[...also].sort()]);
    expect(cluster.asked[0]).toMatchObject({ user: 'operator', groups: ['slipway:operators', 'system:authenticated'] });
  });

  it.each(ACTS.flatMap(([name, act, wanted]) => wanted.map((right) => [name, act, right] as const)))(
    '[design 8] %s is refused with a sentence without its right',
    async (name, act, missing) => {
      // Whoever has not the right to all of a kind has none to one of them by its name here.
      const lacking = missing.endsWith('*') ? missing.slice(0, -1) : missing;
      // One table shows what either may see, so nobody has the other right here.
      const also = ALSO.releases ?? [];
      const { auth, signIn } = createAuthRig({
        may: (right) => !line(right).startsWith(lacking) && !(name === 'releases' && also.includes(line(right))),
      });
      const { session } = await signIn();
      const verb = missing.split(' ')[0] ?? '';
      await expect(auth.authorise(session, act)).rejects.toMatchObject({
        code: 'forbidden',
        message: expect.stringContaining(`operator may not do this: it requires the right "${verb}" on`),
      });
    },
  );

  it.each<readonly [string, Act]>([
    ...ACTS.map(([name, act]) => [name, act] as const),
    ['invite', { kind: 'invite' }],
    ['status', view({ kind: 'status' })],
    ['status of an object', { kind: 'view-status', type: { apiVersion: 'apps/v1', kind: 'Deployment' }, ns: 'shop', name: 'web' }],
    ['metrics from afar', { kind: 'measure', fromLoopback: false }],
  ])('[design 8] %s is for nobody who is not signed in', async (_name, act) => {
    await expect(createAuthRig().auth.authorise(undefined, act)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('[issue 9] statuses ask for a kind and namespace first, and by name only where that is not granted', async () => {
    const { auth, signIn, cluster } = createAuthRig({ may: ({ name }) => name === 'web' });
    const { session } = await signIn();
    const of = (name: string): Act => ({ kind: 'view-status', type: { apiVersion: 'apps/v1', kind: 'Deployment' }, ns: 'shop', name });
    expect(await auth.authorise(session, of('web'))).toEqual({ visibility: 'all' });
    await expect(auth.authorise(session, of('key'))).rejects.toMatchObject({
      code: 'forbidden',
      message: 'operator may not do this: it requires the right "get" on deployments.apps key in namespace shop',
    });
    expect(cluster.asked.map(line)).toEqual(['get deployments shop *', 'get deployments shop web', 'get deployments shop key']);
  });

  it('[design 8] narrows lists to the namespaces where the right is held', async () => {
    const { auth, signIn } = createAuthRig({
      namespaces: ['bank', 'shop', 'vault'],
      may: ({ namespace }) => namespace === 'shop' || namespace === 'bank',
    });
    const { session } = await signIn();
    expect(await auth.authorise(session, view({ kind: 'applications', query: {} }))).toEqual({ visibility: ['bank', 'shop'] });
    expect(await auth.authorise(session, view({ kind: 'applications', query: { ns: ['shop'] } }))).toEqual({ visibility: ['shop'] });
    await expect(auth.authorise(session, view({ kind: 'applications', query: { ns: ['vault'] } }))).rejects.toMatchObject({
      code: 'forbidden',
    });
    await expect(auth.authorise(session, view({ kind: 'applications', query: { ns: ['shop', 'vault'] } }))).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('vault'),
    });
    await expect(auth.authorise(session, view({ kind: 'engine' }))).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('[design 8] asks about the one namespace that an act is about, and about no other', async () => {
    const acts = {
      applications: [
        view({ kind: 'applications', query: { ns: ['shop'] } }),
        view({ kind: 'activity', query: { ns: ['shop'] } }),
        { kind: 'view-record', ns: ['shop'] },
      ],
      rolloutorchestrators: [view({ kind: 'rollouts', query: { ns: ['shop'] } })],
      resourcetrackers: [view({ kind: 'trackers', query: { ns: ['shop'] } }), view({ kind: 'strays', query: { ns: ['shop'] } })],
    } as const;
    for (const [resource, some] of Object.entries(acts)) {
      for (const act of some) {
        const { auth, cluster, signIn } = createAuthRig({ namespaces: ['bank', 'shop'], may: ({ namespace }) => namespace === 'shop' });
        const { session } = await signIn();
        expect(await auth.authorise(session, act)).toEqual({ visibility: ['shop'] });
        expect(cluster.asked.map(line)).toEqual([`list ${resource} * *`, `list ${resource} shop *`]);
        const other = createAuthRig({ namespaces: ['bank', 'shop'], may: ({ namespace }) => namespace === 'bank' });
        await expect(other.auth.authorise((await other.signIn()).session, act)).rejects.toMatchObject({
          code: 'forbidden',
          message: expect.stringMatching(/^operator may not do this: it requires the right "list" on .* in namespace shop$/),
        });
      }
    }
  });

  it('[design 8] says that a right in any one namespace would do where it is held in none', async () => {
    const { auth, signIn } = createAuthRig({ namespaces: ['bank', 'shop'], may: () => false });
    const { session } = await signIn();
    await expect(auth.authorise(session, view({ kind: 'applications', query: {} }))).rejects.toThrow('in all namespaces or in any one');
    await expect(auth.authorise(session, view({ kind: 'trackers', query: {} }))).rejects.toThrow(
      '"list" on resourcetrackers.core.oam.dev (cluster-scoped), or in a namespace for those of its applications',
    );
  });

  it('[issue 12.4] shows releases in the namespaces where both kinds may be listed, and says so where there are none', async () => {
    const releases = view({ kind: 'releases', query: {} });
    const seen = async (...held: readonly string[]) => {
      const may = (right: AskedRight) => held.some((one) => line(right).startsWith(one));
      const { auth, signIn } = createAuthRig({ namespaces: ['bank', 'shop', 'vault'], may });
      return auth.authorise((await signIn()).session, releases);
    };
    const [base, later, older] = ['list fluxhelmreleases', 'list helmreleases', 'list older/helmreleases'];
    const none = { releases: [], olderReleases: [] };
    expect(await seen(base, later)).toEqual({ visibility: 'all', ...none });
    expect(await seen(base, `${later} shop`)).toEqual({ visibility: ['shop'], ...none });
    expect(await seen(`${base} bank`, later)).toEqual({ visibility: ['bank'], ...none });
    expect(await seen(`${base} bank`, `${base} shop`, `${later} shop`, `${later} vault`)).toEqual({ visibility: ['shop'], ...none });
    // Those that Flux drives stand in the same table by a right of their own.
    const flux = 'list toolkit/helmreleases';
    expect(await seen(base, later, `${flux} bank`)).toEqual({ visibility: 'all', releases: ['bank'], olderReleases: [] });
    expect(await seen(later, older, flux)).toEqual({ visibility: [], releases: 'all' });
    await expect(seen(older)).rejects.toMatchObject({ code: 'forbidden', message: expect.stringContaining('fluxhelmreleases') });
    await expect(seen(`${base} bank`, `${later} shop`, older)).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('both in one namespace'),
    });
    await expect(seen(later)).rejects.toMatchObject({ code: 'forbidden', message: expect.stringContaining('fluxhelmreleases') });
    await expect(seen(base)).rejects.toMatchObject({ code: 'forbidden', message: expect.stringContaining('"list" on helmreleases') });
  });

  it('[design 8] looks at an object of a namespace in that one only, and at none in `default`', async () => {
    const { auth, cluster, signIn } = createAuthRig();
    const { session } = await signIn();
    await auth.authorise(session, { kind: 'view-object', type: { apiVersion: 'v1', kind: 'Secret' }, ns: undefined, name: 'key' });
    expect(cluster.asked.map(line)).toEqual(['get secrets default key']);
  });

  it.each<readonly [string, Act]>([
    ['enters', { kind: 'enter' }],
    ['tells of a push', { kind: 'call-hook' }],
    ['reads figures on the same machine', { kind: 'measure', fromLoopback: true }],
  ])('[design 8] whoever %s needs no session, and no right', async (_what, act) => {
    const { auth, cluster } = createAuthRig({ may: () => false });
    expect(await auth.authorise(undefined, act)).toEqual({ visibility: 'all' });
    expect(cluster.asked).toEqual([]);
  });

  it.each<readonly [string, Act]>([
    ['themselves', { kind: 'see-self' }],
    ['figures from afar', { kind: 'measure', fromLoopback: false }],
  ])('[design 8] whoever is signed in sees %s without any right', async (_what, act) => {
    const { auth, signIn } = createAuthRig({ may: () => false });
    expect(await auth.authorise((await signIn()).session, act)).toEqual({ visibility: 'all' });
  });

  it('[design 8] lists namespaces once in ten seconds, since that gives nobody a right', async () => {
    const { auth, cluster, clock, signIn } = createAuthRig({ namespaces: ['shop'], may: ({ namespace }) => namespace !== undefined });
    const { session } = await signIn();
    const act = view({ kind: 'applications', query: {} });
    expect(await auth.authorise(session, act)).toEqual({ visibility: ['shop'] });
    cluster.objects.set('/Namespace bank', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'bank' } });
    await clock.advance(9999);
    expect(await auth.authorise(session, act)).toEqual({ visibility: ['shop'] });
    await clock.advance(1);
    expect(await auth.authorise(session, act)).toEqual({ visibility: ['bank', 'shop'] });
  });

  it('[design 8] shows the state of the cluster to whoever is signed in, and no namespace without a right', async () => {
    const { auth, signIn } = createAuthRig({ namespaces: ['shop'], may: () => false });
    const { session } = await signIn();
    expect(await auth.authorise(session, view({ kind: 'status' }))).toEqual({ visibility: [], releases: [], olderReleases: [] });
  });

  it('[issue 12.4] tells of releases and of Flux in the inbox only in namespaces where those may be listed as well', async () => {
    const flux = ['helmreleases', 'gitrepositories', 'helmrepositories', 'ocirepositories', 'helmcharts'].map(
      (kind) => `list toolkit/${kind} bank`,
    );
    const held = [
      'list applications',
      'list fluxhelmreleases shop',
      'list helmreleases shop',
      'list helmreleases bank',
      'list helmreleases vault',
      ...flux,
    ];
    const some = flux[0]?.replace('bank', 'shop') ?? '';
    held.push(some);
    const may = (right: AskedRight) =>
      held.some((one) => line(right).startsWith(one)) && right.namespace !== undefined && right.namespace !== 'vault';
    for (const olderReleases of [[], ['shop']]) {
      held.push(...olderReleases.map((ns) => `list older/helmreleases ${ns}`), 'list older/helmreleases bank');
      const { auth, signIn } = createAuthRig({ namespaces: ['bank', 'shop', 'vault'], may }, { known: KNOWN });
      const { session } = await signIn();
      for (const kind of ['inbox', 'status'] as const) {
        const seen = { visibility: ['bank', 'shop'], releases: ['shop'], olderReleases, flux: ['bank'] };
        expect(await auth.authorise(session, view({ kind }))).toEqual(seen);
      }
    }
    const everywhere = createAuthRig({ may: ({ resource }) => resource === 'applications' });
    expect(await everywhere.auth.authorise((await everywhere.signIn()).session, view({ kind: 'inbox' }))).toEqual({ visibility: 'all' });
  });

  it('[design 8] keeps an answer for three seconds at most, and asks once however many wait', async () => {
    let allowed = true;
    const { auth, signIn, cluster, clock } = createAuthRig({ may: () => allowed });
    const { session } = await signIn();
    const act = view({ kind: 'applications', query: {} });
    await Promise.all([auth.authorise(session, act), auth.authorise(session, act)]);
    expect(cluster.asked).toHaveLength(1);
    allowed = false;
    await clock.advance(2999);
    expect(await auth.authorise(session, act)).toEqual({ visibility: 'all' });
    await clock.advance(1);
    await expect(auth.authorise(session, act)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('[issue 10, 1] asks for the right to one of many by its name only where the one to all of them is not held', async () => {
    const { auth, cluster, signIn } = createAuthRig({ may: ({ name }) => name === 'web' });
    const { session } = await signIn();
    expect(await auth.authorise(session, view({ kind: 'application', ns: 'shop', name: 'web' }))).toEqual({ visibility: 'all' });
    await expect(auth.authorise(session, view({ kind: 'application', ns: 'shop', name: 'api' }))).rejects.toMatchObject({
      code: 'forbidden',
    });
    expect(cluster.asked.map(line)).toEqual(['get applications shop *', 'get applications shop web', 'get applications shop api']);
  });

  it('[issue 10, 1] takes no answer from before an instant where one is given, and keeps the newer one for everybody', async () => {
    let allowed = true;
    const { auth, signIn, cluster, clock } = createAuthRig({ may: () => allowed });
    const { session } = await signIn();
    const act = view({ kind: 'applications', query: {} });
    await auth.authorise(session, act);
    allowed = false;
    await clock.advance(1000);
    expect(await auth.authorise(session, act)).toEqual({ visibility: 'all' });
    const from = clock.now();
    for (let tab = 0; tab < 3; tab++) await expect(auth.authorise(session, act, from)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(auth.authorise(session, act)).rejects.toMatchObject({ code: 'forbidden' });
    expect(cluster.asked).toHaveLength(2);
  });

  it('[design 8] never takes a review that failed for an answer', async () => {
    let broken = true;
    const { auth, signIn, cluster } = createAuthRig({
      may: () => {
        if (broken) throw new Error('connection refused');
        return true;
      },
    });
    const { session } = await signIn();
    await expect(auth.authorise(session, view({ kind: 'applications', query: {} }))).rejects.toMatchObject({ code: 'unavailable' });
    broken = false;
    expect(await auth.authorise(session, view({ kind: 'applications', query: {} }))).toEqual({ visibility: 'all' });
    expect(cluster.asked).toHaveLength(2);
  });

  it('[design 8] has no rights for a kind that the cluster does not serve', async () => {
    const { auth, signIn } = createAuthRig();
    const { session } = await signIn();
    const act: Act = { kind: 'view-object', type: { apiVersion: 'v1', kind: 'Nonsense' }, ns: undefined, name: 'x' };
    await expect(auth.authorise(session, act)).rejects.toMatchObject({ code: 'not-found' });
  });

  it('[issue 10.5] a probe is answered to all, and told what is wrong only where somebody is signed in or it comes from this machine', async () => {
    const { auth, signIn } = createAuthRig();
    const { session } = await signIn();
    expect(await auth.authorise(undefined, { kind: 'probe', fromLoopback: false })).toEqual({ visibility: [] });
    expect(await auth.authorise(undefined, { kind: 'probe', fromLoopback: true })).toEqual({ visibility: 'all' });
    expect(await auth.authorise(session, { kind: 'probe', fromLoopback: false })).toEqual({ visibility: 'all' });
  });
});
