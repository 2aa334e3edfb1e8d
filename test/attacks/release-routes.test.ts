import { describe, expect, it } from 'vitest';
import type { ActivityEntry } from '@/lib/contract/pages/activity-query';
import type { MovedReleasePlan, ReleasePlan } from '@/lib/contract/release-edit';
import { KINDS, PLAN } from '@/lib/kube/kinds';
import { toPlanText } from '@/server/kube';
import { createApiRig } from '@/test/server/api/rig';
import { releaseDetail } from '../support/fixture/releases';
import { backFrom } from '../support/fixture/times';

const COMPARE = '/api/v1/namespaces/shop/releases/web/compare';
const UNINSTALL = '/api/v1/namespaces/shop/releases/web/uninstall';
const detail = (namespace: string) => ({
  'release/shop/helmrelease/web': [{ ...releaseDetail(backFrom(Date.UTC(2026, 0, 1))), release: { namespace, name: 'web' } }],
});
const declared = {
  ...KINDS.helmRelease,
  metadata: { namespace: 'shop', name: 'web', uid: 'its-uid' },
  spec: { chart: { git: 'https://git.example.com/a' } },
};
const body = { kind: 'helmrelease', uid: 'its-uid' };

it('[issue 12.4] whoever may list the releases of Flux in one namespace is told of what no resource declares in none', async () => {
  const seenBy = async (may: (right: { readonly group: string; readonly namespace?: string | undefined }) => boolean) => {
    const { send } = await createApiRig({ may });
    const answer = await send('/api/v1/undeclared-releases?ns=shop,bank');
    return ((await answer.json()) as { readonly why?: string }).why;
  };
  expect(await seenBy(({ group, namespace }) => group.includes('toolkit') && namespace === 'shop')).toBe('');
  expect(await seenBy(({ group, namespace }) => !group.includes('toolkit') && namespace !== undefined)).toBe('bank, shop');
  expect(await seenBy(() => true)).toBe('bank, shop');
});

it('[issue 12.4] whoever may list the releases of Flux alone opens no release that no resource declares', async () => {
  const paths = ['', '/history', '/content'].map((part) => `/api/v1/namespaces/shop/undeclared-releases/web${part}`);
  const { send } = await createApiRig({ may: ({ group }) => group.includes('toolkit') });
  for (const path of paths) expect((await send(path)).status, path).toBe(403);
  const { send: sendOwn } = await createApiRig({ may: ({ group, resource }) => !group.includes('toolkit') || resource === 'secrets' });
  for (const path of paths) expect((await sendOwn(path)).status, path).toBe(200);
});

it('[issue 12.4] the history of a release is told by entries about its own kind, however many there are of the other of its name', async () => {
  const page = { ...releaseDetail(backFrom(Date.UTC(2026, 0, 1))), release: { namespace: 'shop', name: 'web' } };
  const { send, abouts } = await createApiRig({}, { 'release/shop/helmrelease-v1beta1/web': [page] });
  expect((await send('/api/v1/namespaces/shop/releases/web/history?kind=helmrelease-v1beta1')).status).toBe(200);
  expect(abouts).toEqual([{ namespace: 'shop', name: 'web', type: KINDS.olderHelmRelease }]);
});

const SEEN = `sha256:${'1'.repeat(64)}`;

/** Keeps what somebody saw of a change of the release of that name in a namespace. */
function keepPlan({ plans }: Pick<Awaited<ReturnType<typeof createApiRig>>, 'plans'>, ns: string, preview: ReleasePlan): void {
  plans.set(SEEN, { digest: SEEN, ns, name: 'web', at: 'then', by: 'ada', base: '', preview });
}

describe('whoever may not read what Helm stored', () => {
  it('[issue 12.4] compares no release that is stored in another namespace, by whatever kind it is asked for', async () => {
    const { send } = await createApiRig(
      { may: ({ resource, namespace }) => !(resource === 'secrets' && namespace === 'vault') },
      detail('vault'),
    );
    for (const query of ['?from=1&to=2', '?from=1&to=2&kind=helmrelease']) {
      const answer = await send(`${COMPARE}${query}`);
      expect(answer.status).toBe(403);
      expect(await answer.text()).not.toContain('said');
    }
    expect((await send(`${COMPARE}?from=1&to=2&kind=fluxhelmrelease`)).status).toBe(404);
  });

  it('[issue 12.4] gets no values by naming one revision that may be read and one that may not', async () => {
    const { send } = await createApiRig(
      { may: ({ resource, name }) => resource !== 'secrets' || name === 'sh.helm.release.v1.web.v1' },
      detail('shop'),
    );
    for (const query of ['?from=1&to=2', '?from=2&to=1'])
      expect(await (await send(`${COMPARE}${query}`)).json(), query).toMatchObject({ hidesValues: true, notes: null });
  });

  it('[issue 10.3] is told what is wanted where a revision is no number, and nothing is read', async () => {
    const { send } = await createApiRig({}, detail('shop'));
    for (const query of [
      '',
      '?from=1',
      '?from=1&to=0',
      '?from=1&to=-1',
      '?from=1&to=1.5',
      '?from=1&to=2,owner=helm',
      '?from=v1&to=2',
      '?from=1&to=1e99',
    ])
      expect((await send(`${COMPARE}${query}`)).status, query).toBe(400);
  });
});

describe('whoever may not approve commits', () => {
  it('[issue 12.1] is told so of each that waits, and by which right; only whoever may is told what an approval names', async () => {
    const commits = '/api/v1/namespaces/shop/releases/web/commits';
    const approval = `${commits}/${'a'.repeat(40)}/approval`;
    const ask = async (may: boolean) => {
      const { send } = await createApiRig(
        { may: ({ resource, verb }) => may || resource !== 'releasedecisions' || verb !== 'create' },
        detail('shop'),
      );
      const listed = (await (await send(commits)).json()) as { readonly commits: readonly { readonly approval: object }[] };
      return [listed.commits[0]?.approval, await (await send(approval)).json()];
    };
    const [sentence, why] = ['0 of 1 approval', expect.stringContaining('requires the right "create" on releasedecisions')];
    expect(await ask(false)).toEqual([
      { sentence, why },
      { sentence, why, commit: 'a'.repeat(40), chart: null },
    ]);
    expect(await ask(true)).toEqual([
      { sentence, why: null },
      { sentence, why: null, commit: 'a'.repeat(40), chart: 'c'.repeat(40) },
    ]);
  });
});

describe('whoever may not delete what declares a release', () => {
  it('[issue 12.1] uninstalls nothing: not by another kind, another object, another origin or without a session', async () => {
    const rig = await createApiRig({ objects: [declared], may: ({ verb }) => verb !== 'delete' });
    expect((await rig.send(UNINSTALL, { body })).status).toBe(403);
    const owner = await createApiRig({ objects: [declared] });
    const refused = [
      await owner.send(UNINSTALL, { body: { ...body, uid: 'another' } }),
      await owner.send(UNINSTALL, { body: { ...body, kind: 'fluxhelmrelease' } }),
      await owner.send(UNINSTALL, { body: { ...body, kind: 'Secret' } }),
      await owner.send(UNINSTALL, { body: { kind: 'helmrelease' } }),
      await owner.send(UNINSTALL, { body: { ...body, propagationPolicy: 'Orphan' } }),
      await owner.send(UNINSTALL, { body, headers: { origin: 'https://elsewhere.example' } }),
      await owner.send(UNINSTALL, { body, headers: { cookie: '' } }),
      await owner.send('/api/v1/namespaces/other/releases/web/uninstall', { body }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([409, 404, 400, 400, 400, 403, 401, 404]);
    expect([...rig.cluster.writes, ...owner.cluster.writes]).toEqual([]);
    expect(owner.recorded.filter(({ action }) => action === 'release.delete')).toEqual([]);
  });

  it('[issue 12.1] does so only as the person, whatever the request says of others', async () => {
    const { send, cluster, recorded } = await createApiRig({ objects: [declared] });
    expect((await send(UNINSTALL, { body, headers: { 'impersonate-user': 'root', 'x-forwarded-user': 'root' } })).status).toBe(202);
    expect(cluster.writes.map(({ person }) => person?.user)).toEqual(['operator', 'operator']);
    expect(recorded.map(({ actor }) => actor)).toEqual(['operator']);
  });
});

describe('whoever previews a change of a release', () => {
  const spec = { chart: { git: 'https://git.example.com/a' }, values: { replicas: 1 } };
  const waiting = {
    ...declared,
    metadata: { ...declared.metadata, generation: 2, annotations: { [PLAN.seen]: toPlanText(spec, { digest: SEEN, act: 'a' }) } },
    spec,
  };
  const edit = { ...body, generation: 2, values: 'replicas: 2\n', dryRun: true };
  const EDIT = '/api/v1/namespaces/shop/releases/web/edit';
  const MOVED = '/api/v1/namespaces/shop/releases/web/outdated-plan';
  const hiding = { objects: [waiting], may: ({ resource }: { readonly resource: string }) => resource !== 'secrets' };

  it('[design 8] is told nothing of objects that they may not get, and what is kept of it tells no values to anybody', async () => {
    const open = await createApiRig({ objects: [waiting] }, detail('shop'));
    const shown = (await (await open.send(EDIT, { body: edit })).json()) as ReleasePlan;
    expect(shown).toMatchObject({ hidesValues: false, notes: 'said' });
    expect(open.plans.get(`${shown.plan} helmrelease shop/web`)).toMatchObject({
      ns: 'shop',
      name: 'web',
      by: 'operator',
      preview: { hidesValues: true },
    });
    const { send, plans } = await createApiRig(hiding, detail('shop'));
    const masked = (await (await send(EDIT, { body: edit })).json()) as ReleasePlan;
    expect(masked).toMatchObject({ hidesValues: true, notes: null });
    expect(masked.objects.map(({ kind, diff }) => [kind, diff === null])).toEqual([
      ['ConfigMap', false],
      ['Secret', true],
    ]);
    expect(masked.nondeterministic.map(({ kind, paths }) => [kind, paths])).toEqual([
      ['ConfigMap', ['data.token']],
      ['Secret', null],
    ]);
    expect(masked.eachTime).toEqual(masked.nondeterministic);
    // Somebody who saw more kept it: the same person is told no more than before.
    keepPlan({ plans }, 'shop', shown);
    const moved = (await (await send(MOVED)).json()) as MovedReleasePlan;
    expect(moved.seen).toMatchObject({ plan: SEEN, by: 'ada', preview: { notes: null } });
    for (const plan of [moved.seen.preview, moved.now]) expect(plan?.objects.find(({ kind }) => kind === 'Secret')?.diff).toBeNull();
  });

  it('[design 8] reads no plan of another release by its digest', async () => {
    const { send, plans } = await createApiRig({ objects: [waiting] }, detail('shop'));
    const shown = (await (await send(EDIT, { body: edit })).json()) as ReleasePlan;
    keepPlan({ plans }, 'vault', shown);
    expect((await (await send(MOVED)).json()) as MovedReleasePlan).toMatchObject({ seen: { by: null, preview: null }, moved: [] });
  });

  it('[issue 12.4] takes no place of the same plan that was shown of another kind of that name, or of another name', async () => {
    const base = { ...KINDS.fluxHelmRelease, metadata: { namespace: 'shop', name: 'web', uid: 'other-uid', generation: 2 } };
    const objects = [waiting, { ...base, spec: { chartGitPath: 'a', values: { replicas: 1 } } }];
    const page = detail('shop')['release/shop/helmrelease/web'];
    const { send, plans, entries } = await createApiRig({ objects }, { ...detail('shop'), 'release/shop/fluxhelmrelease/web': page });
    const shown = [edit, { ...edit, kind: 'fluxhelmrelease', uid: 'other-uid' }].map((each) => send(EDIT, { body: each }));
    const [plan, other] = (await Promise.all((await Promise.all(shown)).map((one) => one.json()))) as ReleasePlan[];
    expect([plan?.plan, plans.size]).toEqual([other?.plan, 2]);
    for (const [key, kept] of plans) plans.set(key, { ...kept, by: key.split(' ')[1] ?? '' });
    const types = { helmrelease: KINDS.helmRelease, fluxhelmrelease: KINDS.fluxHelmRelease };
    for (const [id, type] of Object.entries(types)) {
      const told = { seq: 3, at: 'then', actor: 'ada', action: 'release.edit', message: 'c', data: JSON.stringify({ plan: plan?.plan }) };
      entries.push({ ...told, id, ...type, namespace: 'shop', name: 'web' });
      const entry = (await (await send(`/api/v1/activity/entry?id=${id}`)).json()) as ActivityEntry;
      expect(entry.shown).toMatchObject({ by: id, release: { plan: plan?.plan } });
    }
  });

  it('[issue 14.3] reads of an entry of the record the plan that it names, of that release alone and as they may see it', async () => {
    const entry = {
      seq: 3,
      id: 'c',
      at: 'then',
      actor: 'ada',
      action: 'release.edit',
      apiVersion: 'helm.fluxcd.io/v1',
      message: 'c',
      data: JSON.stringify({ plan: SEEN }),
    };
    const read = async (rig: Awaited<ReturnType<typeof createApiRig>>, ns = 'shop') => {
      const kept = (await (await rig.send(EDIT, { body: edit })).json()) as ReleasePlan;
      const preview = rig.plans.get(`${kept.plan} helmrelease shop/web`)?.preview as ReleasePlan;
      keepPlan(rig, ns, preview);
      rig.entries.push({ ...entry, kind: 'HelmRelease', namespace: 'shop', name: 'web' });
      return ((await (await rig.send('/api/v1/activity/entry?id=c')).json()) as ActivityEntry).shown;
    };
    const shown = await read(await createApiRig({ objects: [waiting] }, detail('shop')));
    expect(shown).toMatchObject({
      by: 'ada',
      at: 'then',
      preview: null,
      release: { plan: expect.any(String), hidesValues: true, notes: null },
    });
    const masked = await read(await createApiRig(hiding, detail('shop')));
    expect(masked?.release?.objects.map(({ kind, diff }) => [kind, diff === null])).toEqual([
      ['ConfigMap', false],
      ['Secret', true],
    ]);
    expect(await read(await createApiRig({ objects: [waiting] }, detail('shop')), 'vault')).toBeNull();
    const elsewhere = await createApiRig(
      { objects: [waiting], may: ({ resource, namespace }) => !(resource === 'secrets' && namespace === 'vault') },
      detail('vault'),
    );
    keepPlan(elsewhere, 'shop', shown?.release as ReleasePlan);
    elsewhere.entries.push({ ...entry, kind: 'HelmRelease', namespace: 'shop', name: 'web' });
    const page = { ...releaseDetail(backFrom(Date.UTC(2026, 0, 1))), release: { namespace: 'shop', name: 'web' } };
    const older = await createApiRig({ objects: [waiting] }, { 'release/shop/helmrelease-v1beta1/web': [page] });
    keepPlan(older, 'shop', shown?.release as ReleasePlan);
    older.entries.push({ ...entry, apiVersion: 'flux.weave.works/v1beta1', kind: 'HelmRelease', namespace: 'shop', name: 'web' });
    expect(((await (await older.send('/api/v1/activity/entry?id=c')).json()) as ActivityEntry).shown).toBeNull(); // it is of another of that name
    const refused = await elsewhere.send('/api/v1/activity/entry?id=c');
    expect([refused.status, ((await refused.json()) as ActivityEntry).shown]).toEqual([200, null]);
  });

  it('[issue 12.4] writes nothing by that, and previews nothing that they may not write or that is stored in a namespace closed to them', async () => {
    const { send, cluster } = await createApiRig({ objects: [waiting], may: ({ verb }) => verb !== 'update' }, detail('shop'));
    expect((await send(EDIT, { body: edit })).status).toBe(403);
    const elsewhere = await createApiRig(
      { objects: [waiting], may: ({ resource, namespace }) => !(resource === 'secrets' && namespace === 'vault') },
      detail('vault'),
    );
    expect([(await elsewhere.send(EDIT, { body: edit })).status, (await elsewhere.send(MOVED)).status]).toEqual([403, 403]);
    const open = await createApiRig({ objects: [waiting] }, detail('shop'));
    expect((await open.send(EDIT, { body: edit })).status).toBe(202);
    expect([...cluster.writes, ...elsewhere.cluster.writes, ...open.cluster.writes].filter(({ dryRun }) => !dryRun)).toEqual([]);
  });
});
