import { describe, expect, it } from 'vitest';
import { fluxReleaseDetail, fluxSourceDetail, fluxSourceRow } from '@/lib/contract/flux-rows';
import { releaseRow } from '@/lib/contract/release-rows';
import { inboxRow } from '@/lib/contract/system-rows';
import { parseTopic } from '@/lib/contract/topic';
import { FLUX_KINDS } from '@/lib/kube/flux-kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toKubeTime } from '@/lib/std/instant';
import { createRandom } from '@/server/platform';
import { toFluxDetail } from '@/server/readmodel/flux/flux-rows';
import { aFluxRelease, FLUX_DEFINITIONS, fluxCondition, itsSources } from '../../support/flux-definitions';
import type { House } from '../../support/house';
import { startHouse } from '../../support/house';
import { makeAbsurd } from './absurd';
import type { Rows } from './rig';
import { openRows } from './rig';

const see = (rows: Rows, text: string, ...seen: Parameters<Rows['see']> extends [unknown, ...infer Rest] ? Rest : never) => {
  const topic = parseTopic(text);
  return topic && rows.see(topic, ...seen);
};
const releasesOf = (rows: Rows, ...seen: Parameters<Rows['see']> extends [unknown, ...infer Rest] ? Rest : never) =>
  (see(rows, 'releases', ...seen)?.rows ?? []).map((row) => releaseRow.parse(row));

async function define(house: House): Promise<void> {
  for (const definition of FLUX_DEFINITIONS) await house.cluster.create(definition);
}

/** Applies an object with the status that a controller of Flux would have written. */
async function put(house: House, { metadata: { name, namespace }, ...rest }: KubeObject): Promise<void> {
  const { status, ...object } = rest;
  await house.cluster.create({ ...object, metadata: { name, namespace } } as KubeObject);
  const at = { apiVersion: rest.apiVersion, kind: rest.kind, namespace: namespace ?? '', name: name ?? '' };
  await house.cluster.patch(at, { type: 'merge', body: { status } }, { subresource: 'status' });
}

describe('rows of Flux', () => {
  it('[issue 12] cost no watch while nobody serves the kinds, and appear once they are installed', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    const watched = () => house.informers.all().filter(({ scope }) => scope.apiVersion.includes('toolkit.fluxcd.io'));
    expect(watched()).toEqual([]);
    expect(see(rows, `flux/${house.ns}/helmrelease-v2/podinfo`)).toBeUndefined();
    expect(see(rows, 'flux-sources')?.rows).toEqual([]);
    expect(see(rows, 'releases')?.freshness.stale).toBeNull();
    expect(watched()).toEqual([]);
    expect(rows.model.servesFlux()).toBe(false);

    await define(house);
    await put(house, aFluxRelease('podinfo', house.ns));
    await house.until('it is a row', () => releasesOf(rows).length === 1, 60_000);
    expect(releasesOf(rows)).toMatchObject([
      {
        key: `${house.ns}/helmrelease-v2/podinfo`,
        state: 'in-sync',
        sentence: 'Helm upgrade succeeded for release shop/podinfo.v2 with chart podinfo@6.5.4',
        chart: { name: 'podinfo', version: '6.5.4' },
        revision: '6.5.4',
        lastAct: { by: 'Flux', outcome: 'deployed', storedRevision: 2 },
        drift: { state: 'none' },
        flux: { interval: '10m', suspended: false },
      },
    ]);
    expect(watched().length).toBe(5);
    expect(rows.model.servesFlux()).toBe(true);
    await house.cluster.delete({ ...FLUX_KINDS['helmrelease-v2'], namespace: house.ns, name: 'podinfo' });
    await house.until('it is gone', () => releasesOf(rows).length === 0);
  });

  it('[issue 12] take their state from the status engine: what fails, moves, is suspended or was rolled back', async () => {
    await using house = await startHouse();
    await define(house);
    await using rows = await openRows(house);
    const ready = (status: string, reason: string, ...more: object[]) => ({
      conditions: [fluxCondition('Ready', status, [reason, reason]), ...more],
    });
    const remediated = fluxCondition('Remediated', 'True', ['RollbackSucceeded', 'rolled back']);
    const stalled = fluxCondition('Stalled', 'True', ['RetriesExceeded', 'no more retries']);
    await put(house, aFluxRelease('stuck', house.ns, { status: ready('False', 'UpgradeFailed', stalled) }));
    await put(house, aFluxRelease('back', house.ns, { status: ready('False', 'RollbackSucceeded', remediated, stalled) }));
    await put(
      house,
      aFluxRelease('moving', house.ns, {
        status: ready('Unknown', 'Progressing', fluxCondition('Reconciling', 'True', ['Progressing', 'upgrading'])),
      }),
    );
    await put(house, aFluxRelease('asleep', house.ns, { spec: { suspend: true } }));
    const failing = {
      ...fluxCondition('Ready', 'False', ['ArtifactFailed', 'no artifact']),
      lastTransitionTime: toKubeTime(house.clock.now()),
    };
    await put(house, aFluxRelease('late', house.ns, { status: { conditions: [failing] } }));
    const states = () => Object.fromEntries(releasesOf(rows).map(({ name, state }) => [name, state]));
    const wanted = { asleep: 'suspended', back: 'rolled-back', moving: 'changing', stuck: 'failed' };
    await house.until('all are told', () => Object.entries(wanted).every(([name, state]) => states()[name] === state), 60_000);
    // Minutes of a failure are one, by the rules of the status engine, and nobody writes to the object then.
    expect(states().late).toBe('changing');
    await house.until('time makes it one', () => states().late === 'failed', 600_000);
  });

  it('[issue 12] show a page with its chart, history, remedies and where values come from by name, and say what Flux has taken up', async () => {
    await using house = await startHouse();
    await define(house);
    await using rows = await openRows(house);
    await put(house, aFluxRelease('podinfo', house.ns));
    for (const source of itsSources('podinfo', house.ns)) await put(house, source);
    const page = () => {
      const row = see(rows, `flux/${house.ns}/helmrelease-v2/podinfo`)?.rows[0];
      return row && fluxReleaseDetail.parse(row);
    };
    await house.until('there is a page', () => page()?.state === 'in-sync', 60_000);
    expect(page()).toMatchObject({
      source: { kind: 'HelmChart', page: 'helmchart', ns: house.ns, name: `${house.ns}-podinfo` },
      storage: { namespace: house.ns, name: 'podinfo' },
      lastAttempt: { revision: '6.5.4', action: 'upgrade' },
      history: [
        { version: 2, status: 'deployed', tests: ['2 Succeeded'], digest: 'sha256:aa' },
        { version: 1, chartVersion: '6.5.3' },
      ],
      remediation: [
        'When installing fails, it is uninstalled and retried up to 3 times; the last failure is left as it is',
        'When upgrading fails, nothing is rolled back, and it is not retried',
      ],
      dependsOn: [{ ns: house.ns, name: 'backend' }],
      valuesFrom: ['Secret podinfo-values, key prod.yaml, optional'],
      asked: [],
    });
    expect(page()?.conditions.map(({ type, state }) => `${type} ${state}`)).toEqual(['Ready good', 'Released good']);
    expect(page()?.acts.map(({ verb, why }) => [verb, why === null])).toEqual([
      ['reconcile', true],
      ['force', true],
      ['reset', true],
      ['suspend', true],
      ['resume', false],
    ]);
    const token = '2026-11-20T10:00:00.123Z';
    const at = { ...FLUX_KINDS['helmrelease-v2'], namespace: house.ns, name: 'podinfo' };
    const annotations = {
      'reconcile.fluxcd.io/requestedAt': token,
      'reconcile.fluxcd.io/forceAt': token,
      'reconcile.fluxcd.io/resetAt': 'older',
    };
    await house.cluster.patch(at, { type: 'merge', body: { metadata: { annotations } } });
    await house.until('it is asked', () => page()?.asked.length === 1);
    expect(page()?.asked).toEqual([{ verb: 'force', token, at: token, isTaken: false }]);
    await house.cluster.patch(
      at,
      { type: 'merge', body: { status: { lastHandledForceAt: token, lastHandledReconcileAt: token } } },
      { subresource: 'status' },
    );
    await house.until('it is taken', () => page()?.asked[0]?.isTaken === true);

    const sources = (see(rows, 'flux-sources?sort=kind')?.rows ?? []).map((row) => fluxSourceRow.parse(row));
    expect(sources).toMatchObject([
      { kind: 'helmchart', url: 'podinfo of HelmRepository podinfo', follows: '6.5.*', revision: '6.5.4', state: 'in-sync' },
      { kind: 'helmrepository', url: 'https://charts.example.com/podinfo', interval: '5m' },
    ]);
    const chart = fluxSourceDetail.parse(see(rows, `flux/${house.ns}/helmchart/${house.ns}-podinfo`)?.rows[0]);
    expect(chart).toMatchObject({ from: { kind: 'HelmRepository', page: 'helmrepository', name: 'podinfo' }, digest: 'sha256:cc' });
  });

  it('[issue 12] are seen in the namespaces whose releases of Flux somebody may list, whatever else they may', async () => {
    await using house = await startHouse();
    await define(house);
    await using rows = await openRows(house);
    await put(house, aFluxRelease('podinfo', house.ns));
    await house.until('it is a row', () => releasesOf(rows).length === 1, 60_000);
    expect(releasesOf(rows, [], [house.ns])).toHaveLength(1);
    expect(releasesOf(rows, 'all', [])).toEqual([]);
    expect(releasesOf(rows, [house.ns], ['other'])).toEqual([]);
  });

  it('[issue 12.4] stand in the inbox where they failed, with the reason and the page, for whoever may list all kinds of Flux there', async () => {
    await using house = await startHouse();
    await define(house);
    await using rows = await openRows(house);
    const broken = (reason: string, message: string) => ({
      conditions: [fluxCondition('Ready', 'False', [reason, message]), fluxCondition('Stalled', 'True', [reason, message])],
    });
    await put(house, aFluxRelease('podinfo', house.ns, { status: broken('UpgradeFailed', 'timed out waiting for the condition') }));
    await put(house, aFluxRelease('well', house.ns));
    await put(house, aFluxRelease('asleep', house.ns, { spec: { suspend: true } }));
    const [chart, repository] = itsSources('podinfo', house.ns);
    if (chart === undefined || repository === undefined) throw new Error('there are two sources');
    await put(house, chart);
    await put(house, { ...repository, status: broken('AuthenticationFailed', 'no credentials for charts.example.com') });
    const inbox = (...seen: Parameters<Rows['see']> extends [unknown, ...infer Rest] ? Rest : never) =>
      (see(rows, 'inbox', ...seen)?.rows ?? []).map((row) => inboxRow.parse(row));
    await house.until('both are told', () => inbox().length === 2, 60_000);
    expect(
      inbox().map(({ group, kind, name, title, sentence, release, href }) => ({ group, kind, name, title, sentence, release, href })),
    ).toEqual([
      {
        group: 'failing',
        kind: 'source',
        name: 'podinfo',
        title: 'Source failed',
        sentence: 'No credentials for charts.example.com',
        release: 'failed',
        href: `/releases/${house.ns}/helmrepository/podinfo`,
      },
      {
        group: 'failing',
        kind: 'release',
        name: 'podinfo',
        title: 'Release failed',
        sentence: 'Timed out waiting for the condition',
        release: 'failed',
        href: `/releases/${house.ns}/helmrelease-v2/podinfo`,
      },
    ]);
    expect(see(rows, 'status')?.rows[0]).toMatchObject({ counts: { failing: 2 } });
    expect(inbox('all', [])).toEqual([]);
    expect([...rows.model.releasesOfFlux()].sort()).toEqual(['asleep', 'podinfo', 'well'].map((name) => `${house.ns}/${name}`));
  });

  it('[issue 12] are told of absurd contents too, by pages that hold what their schemas promise', () => {
    const health = { health: 'Failed', message: 'failed' } as const;
    const journal = { about: () => [] };
    const asked = { 'reconcile.fluxcd.io/requestedAt': 'a', 'reconcile.fluxcd.io/resetAt': 'a' };
    const [chart, repository] = itsSources('podinfo', 'shop');
    if (chart === undefined || repository === undefined) throw new Error('there are two sources');
    for (let variant = 0; variant < 300; variant++) {
      const random = createRandom(variant);
      const mangle = (object: KubeObject) => makeAbsurd({ ...object, metadata: { ...object.metadata, annotations: asked } }, random);
      const release = mangle(aFluxRelease('podinfo', 'shop'));
      expect(
        () => fluxReleaseDetail.parse(toFluxDetail('helmrelease-v2', release, { health, journal })),
        `variant ${variant}`,
      ).not.toThrow();
      for (const [of, source] of [
        ['helmchart', chart],
        ['helmrepository', repository],
      ] as const)
        expect(() => fluxSourceDetail.parse(toFluxDetail(of, mangle(source), { health, journal })), `variant ${variant}`).not.toThrow();
    }
  });

  it('[issue 12] stay rows where an object is beyond reading, which costs no other its row', async () => {
    await using house = await startHouse();
    await define(house);
    await using rows = await openRows(house, { failsFor: ({ metadata }) => metadata.name === 'absurd' });
    await put(house, aFluxRelease('absurd', house.ns));
    await put(house, aFluxRelease('podinfo', house.ns));
    await house.until('both are rows', () => releasesOf(rows).length === 2, 60_000);
    const [absurd, other] = releasesOf(rows).sort((a, b) => (a.name < b.name ? -1 : 1));
    expect([absurd?.state, other?.state]).toEqual(['unknown', 'in-sync']);
  });
});
