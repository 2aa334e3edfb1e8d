import { describe, expect, it } from 'vitest';
import type { Topic } from '@/lib/contract/topic';
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

  it('[issue 14] of a kind that nobody serves are refused with its name, and of one that could not be found for that reason', async () => {
    const { auth, cluster, signIn } = createAuthRig();
    const { session } = await signIn();
    const failing = (act: Act) => auth.authorise(session, act).catch((error: unknown) => error);
    const named = (group: string) => failing(kind({ of: { group, named: 'Nonsense' } }));
    expect(await named('example.com')).toMatchObject({ code: 'not-found', message: 'the cluster serves no Nonsense in example.com' });
    expect(await named('')).toMatchObject({ code: 'not-found', message: 'the cluster serves no Nonsense' });
    const away = new Error('the cluster is away');
    const fail = () => Promise.reject(away);
    Object.assign(cluster.discovery, { all: fail, resolve: fail, resolveKind: fail });
    expect(await named('example.com')).toBe(away);
    expect(await failing({ kind: 'view-object', type: { apiVersion: 'v1', kind: 'Secret' }, ns: 'shop', name: 'key' })).toBe(away);
  });

  it('[design 8] to themselves are everybody’s who is signed in', async () => {
    const { auth, signIn } = createAuthRig({}, { mayInvite: false });
    const { session } = await signIn();
    expect(session.mayInvite).toBe(false);
    expect(await auth.authorise(session, { kind: 'see-self' })).toEqual({ visibility: 'all' });
    await expect(auth.authorise(session, { kind: 'invite' })).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('a refusal', () => {
  const view = (topic: Topic): Act => ({ kind: 'view-topic', topic });
  const refused = async (act: Act, may: (right: AskedRight) => boolean = () => false) => {
    const { auth, signIn } = createAuthRig({ namespaces: ['bank', 'shop'], may });
    return auth.authorise((await signIn()).session, act).catch((error: unknown) => error);
  };
  const granting = (...commands: readonly string[]) => ({
    code: 'forbidden',
    details: { grant: commands.map((command) => expect.stringContaining(command)) },
  });

  it('[issue 10.1] names the command that grants exactly what is missing, where it is missing', async () => {
    expect(await refused(view({ kind: 'engine' }))).toMatchObject(
      granting('kubectl create clusterrole slipway-list-applications', 'clusterrolebinding'),
    );
    expect(await refused(view({ kind: 'applications', query: {} }))).toMatchObject(
      granting('kubectl create clusterrole slipway-list-applications', 'clusterrolebinding'),
    );
    expect(
      await refused(view({ kind: 'applications', query: { ns: ['bank', 'shop'] } }), ({ namespace }) => namespace === 'bank'),
    ).toMatchObject(
      granting(
        'kubectl create role slipway-list-applications --verb=list --resource=applications.core.oam.dev --namespace=shop',
        '--namespace=shop',
      ),
    );
  });

  it('[issue 14.3] says of a kind without namespaces that it is cluster-scoped, and names the commands that grant it in the cluster', async () => {
    const act: Act = { kind: 'view-kind', verb: 'list', of: { group: '', named: 'Namespace' }, ns: 'shop' };
    expect(await refused(act)).toMatchObject({
      ...granting(
        'kubectl create clusterrole slipway-list-namespaces --verb=list --resource=namespaces',
        'kubectl create clusterrolebinding',
      ),
      message: 'operator may not do this: it requires the right "list" on namespaces (cluster-scoped)',
    });
    const one: Act = { kind: 'view-object', type: { apiVersion: 'v1', kind: 'Namespace' }, ns: 'shop', name: 'shop' };
    expect(await refused(one)).toMatchObject({ message: expect.stringMatching(/"get" on namespaces shop \(cluster-scoped\)$/) });
    expect(await refused({ kind: 'view-kind', verb: 'list', of: { group: '', named: 'Secret' }, ns: undefined })).toMatchObject({
      message: expect.stringMatching(/"list" on secrets in all namespaces$/),
    });
  });

  it.each(['get resourcetrackers * web-v1-shop', 'get resourcetrackers shop *', 'get applications shop *', 'get applications shop web'])(
    '[issue 14.3] a tracker is shown to whoever holds "%s", and says of any other that it is cluster-scoped',
    async (held) => {
      const trackedBy = (tracker: string) => (tracker === 'web-v1-shop' ? { ns: 'shop', name: 'web' } : undefined);
      const may = (right: AskedRight) => line(right) === held;
      const { auth, signIn } = createAuthRig({ may }, { known: { servesFlux: () => false, trackedBy } });
      const { session } = await signIn();
      expect(await auth.authorise(session, view({ kind: 'tracker', name: 'web-v1-shop' }))).toEqual({ visibility: 'all' });
      await expect(auth.authorise(session, view({ kind: 'tracker', name: 'web-v2-shop' }))).rejects.toMatchObject({
        code: 'forbidden',
        message:
          'operator may not do this: it requires the right "get" on resourcetrackers.core.oam.dev web-v2-shop (cluster-scoped), or "get" on its application',
        details: {
          grant: [
            'kubectl create clusterrole slipway-get-resourcetrackers-web-v2-shop --verb=get --resource=resourcetrackers.core.oam.dev --resource-name=web-v2-shop',
            'kubectl create clusterrolebinding slipway-get-resourcetrackers-web-v2-shop-operator --clusterrole=slipway-get-resourcetrackers-web-v2-shop --user=operator',
          ],
        },
      });
    },
  );

  it('[design 8] is none for namespaces that are named by who holds the right in all', async () => {
    for (const ns of [['shop'], ['bank', 'shop']])
      expect(await refused(view({ kind: 'applications', query: { ns } }), () => true)).toEqual({ visibility: 'all' });
  });

  it('[issue 12.4] of a table of several kinds names each of them, and how many are wanted together', async () => {
    const sources = (right: AskedRight) => (right.resource !== 'helmcharts' ? right.namespace === 'bank' : right.namespace === 'shop');
    expect(await refused(view({ kind: 'flux-sources', query: {} }), sources)).toMatchObject({
      code: 'forbidden',
      message: expect.stringMatching(/gitrepositories.*helmrepositories.*ocirepositories.*helmcharts.*, all in one namespace/),
    });
    const releases = ({ resource, namespace }: AskedRight) => (resource === 'helmreleases' ? namespace === 'shop' : namespace === 'bank');
    expect(
      await refused(view({ kind: 'releases', query: {} }), (right) => !right.group.includes('toolkit') && releases(right)),
    ).toMatchObject({
      message: expect.stringMatching(/fluxhelmreleases.* and .*helm\.fluxcd\.io.*, both in one namespace/),
    });
  });

  it('[design 8] is not what a review that failed comes to: nobody is shown less for it', async () => {
    const failing = ({ resource, group }: AskedRight) => {
      if (resource === 'fluxhelmreleases') throw new Error('no route to host');
      return group.includes('toolkit');
    };
    expect(await refused(view({ kind: 'releases', query: {} }), failing)).toMatchObject({ code: expect.not.stringMatching('forbidden') });
    expect(await refused(view({ kind: 'releases', query: {} }), ({ group }) => group.includes('toolkit'))).toEqual({
      visibility: [],
      releases: 'all',
    });
  });

  it('[issue 12.1] of an act on a release that no resource declares names either right that it requires', async () => {
    const act: Act = { kind: 'uninstall-undeclared', ns: 'shop' };
    expect(await refused(act, () => true)).toEqual({ visibility: 'all' });
    for (const [verb, resource] of [
      ['create', 'releasedecisions'],
      ['update', 'secrets'],
    ] as const)
      expect(await refused(act, (right) => right.verb !== verb || right.resource !== resource)).toMatchObject({
        code: 'forbidden',
        message: expect.stringContaining(`requires the right "${verb}" on ${resource}`),
      });
    expect(await refused(act, ({ namespace }) => namespace === 'bank')).toMatchObject({ code: 'forbidden' });
  });

  it.each([
    ['open-terminal', 'exec'],
    ['forward-ports', 'portforward'],
  ] as const)('[issue 14.1] %s requires to get the pod, and to create %s on it', async (kind, subresource) => {
    const act: Act = { kind, ns: 'shop', pod: 'web' };
    const into = ({ verb, resource, namespace, name, ...right }: AskedRight) =>
      resource === 'pods' &&
      namespace === 'shop' &&
      name === 'web' &&
      (right.subresource === undefined ? verb === 'get' : verb === 'create' && right.subresource === subresource);
    expect(await refused(act, into)).toEqual({ visibility: 'all' });
    expect(await refused(act, (right) => into(right) && right.subresource === undefined)).toMatchObject({ code: 'forbidden' });
    expect(await refused(act, (right) => into(right) && right.subresource !== undefined)).toMatchObject({ code: 'forbidden' });
  });
});
