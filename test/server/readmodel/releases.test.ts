import { describe, expect, it } from 'vitest';
import { releaseDetail, releaseRow } from '@/lib/contract/release-rows';
import { inboxRow, statusRow } from '@/lib/contract/system-rows';
import { parseTopic } from '@/lib/contract/topic';
import { KINDS } from '@/lib/kube/kinds';
import { looseningOf } from '@/server/chartsync/gate/gate-policy';
import { toInbox } from '@/server/readmodel/system/inbox';
import { applicationRows } from '../../support/fixture/applications';
import { releaseRows } from '../../support/fixture/releases';
import { backFrom } from '../../support/fixture/times';
import type { House } from '../../support/house';
import { startHouse } from '../../support/house';
import type { Rows } from './rig';
import { openRows } from './rig';

const GIT = { chart: { git: 'https://git.example.com/charts.git', path: 'charts/web' }, values: {} };

function seeRows(rows: Rows, text = 'releases', visibility: 'all' | readonly string[] = 'all') {
  const topic = parseTopic(text);
  const window = topic && rows.see(topic, visibility);
  return { total: window?.total, rows: (window?.rows ?? []).map((row) => releaseRow.parse(row)), stale: window?.freshness.stale };
}

async function declare(house: House, name: string, type: 'fluxHelmRelease' | 'helmRelease' = 'helmRelease'): Promise<void> {
  await house.apply({ ...KINDS[type], metadata: { name }, spec: type === 'helmRelease' ? GIT : { chartGitPath: 'web', values: {} } });
}

/** The newest revision as Helm stores it. */
async function store(house: House, name: string, status: string): Promise<void> {
  const release = `${house.ns}-${name}`;
  const labels = { owner: 'helm', name: release, status, version: '1' };
  await house.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'helm.sh/release.v1',
    metadata: { name: `sh.helm.release.v1.${release}.v1`, labels },
    data: {},
  });
}

describe('rows of releases', () => {
  it('[issue 12.4] are one per resource of either kind, seen by whoever sees their namespace, and a page of each', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await declare(house, 'web');
    await declare(house, 'web', 'fluxHelmRelease');
    await house.until('both are rows', () => seeRows(rows).total === 2);
    const { rows: both, stale } = seeRows(rows, 'releases?sort=name');
    expect(stale).toBeNull();
    expect(both.map(({ key }) => key).sort()).toEqual([`${house.ns}/fluxhelmrelease/web`, `${house.ns}/helmrelease/web`]);
    // Both name the release shop-web; the base kind precedes where they were created in the same second.
    expect(both.map(({ state }) => state).sort()).toEqual(['refused', 'waiting']);
    expect(seeRows(rows, 'releases', ['other']).total).toBe(0);
    expect(seeRows(rows, 'releases?health=refused').total).toBe(1);
    const page = rows.see({ kind: 'release', ns: house.ns, of: 'helmrelease', name: 'web' })?.rows[0];
    expect(releaseDetail.parse(page)).toMatchObject({
      apiVersion: 'helm.fluxcd.io/v1',
      origin: { kind: 'git', path: 'charts/web' },
      reconciles: [],
      looks: [], // its older name
    });
    expect(rows.see({ kind: 'release', ns: house.ns, of: 'helmrelease', name: 'none' })).toBeUndefined();

    await house.cluster.delete({ ...KINDS.fluxHelmRelease, namespace: house.ns, name: 'web' });
    await house.until(
      'the other has the release',
      () =>
        seeRows(rows)
          .rows.map(({ state }) => state)
          .join() === 'waiting',
    );
  });

  it('[issue 12.1] tell whoever their gate does not count why, in the words of the engine', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await declare(house, 'web');
    const about = { kind: 'helmrelease', ns: house.ns, name: 'web' } as const;
    const why = (user: string, groups: readonly string[], verb: 'approve' | 'loosen' = 'approve') =>
      rows.model.notCountedReason(about, verb, { user, groups });
    expect(why('eve', [])).toBeNull();
    const { metadata } = await house.cluster.get({ ...KINDS.helmRelease, namespace: house.ns, name: 'web' });
    const releaseRef = { kind: 'HelmRelease', name: 'web', uid: metadata.uid };
    const decided = async (name: string, spec: object, status: object) => {
      const made = await house.apply({ ...KINDS.releaseDecision, metadata: { name }, spec: { releaseRef, ...spec } });
      await house.cluster.update({ ...made, status }, { subresource: 'status' });
    };
    const [commit, chart] = ['c'.repeat(40), 'd'.repeat(40)];
    const waiting = { commit, chart, subject: 'web', author: 'Ada', at: '2027-01-15T08:00:00Z' };
    const demand = { required: 2, groups: [['sre']] };
    const gate = { phase: 'Accepted', at: '2027-01-15T08:00:00.000Z', gate: { ...demand, waiting } };
    await decided(`gate-${metadata.uid}`, { verb: 'gate', actor: { user: 'slipway' } }, gate);
    const approval = { verb: 'approve', commit, seen: { chart }, actor: { user: 'ada', groups: ['sre'] } };
    await decided('first', approval, { phase: 'Accepted', at: '2027-01-15T08:00:01.000Z' });
    await house.until('the gate is seen', () => why('ada', ['sre']) !== null);
    expect([why('eve', []), why('ada', ['sre']), why('bob', ['sre']), why('ada', ['sre'], 'loosen')]).toEqual([
      'eve may not approve this: it requires a member of sre',
      'ada has already approved this, and that counts (1 of 2)',
      null,
      null,
    ]);
    const again = (user: string, seen: object = { chart }) =>
      rows.model.countedAlreadyReason(about, { verb: 'approve', commit, seen, actor: { user, groups: ['sre'] } });
    expect([again('ada'), again('bob'), again('ada', { chart: 'e'.repeat(40) })]).toEqual([
      'ada has already approved this, and that counts (1 of 2)',
      null,
      null,
    ]);
  });

  it('[issue 12.1] tell whoever agreed to a looser policy that it counts, and refuse it a second time', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await declare(house, 'web');
    const about = { kind: 'helmrelease', ns: house.ns, name: 'web' } as const;
    const { metadata } = await house.cluster.get({ ...KINDS.helmRelease, namespace: house.ns, name: 'web' });
    const releaseRef = { kind: 'HelmRelease', name: 'web', uid: metadata.uid };
    const decided = async (name: string, spec: object, status: object) => {
      const made = await house.apply({ ...KINDS.releaseDecision, metadata: { name }, spec: { releaseRef, ...spec } });
      await house.cluster.update({ ...made, status }, { subresource: 'status' });
    };
    const gate = { required: 2, groups: [], wanted: { required: 0, groups: [] } };
    const kept = { phase: 'Accepted', at: '2027-01-15T08:00:00.000Z', gate };
    await decided(`gate-${metadata.uid}`, { verb: 'gate', actor: { user: 'slipway' } }, kept);
    const seen = { gate: looseningOf(gate, gate.wanted) };
    const accepted = { phase: 'Accepted', at: '2027-01-15T08:00:01.000Z' };
    await decided('first', { verb: 'loosen', reason: 'it holds us up', seen, actor: { user: 'ada', groups: [] } }, accepted);
    const why = (user: string) => [
      rows.model.notCountedReason(about, 'loosen', { user, groups: [] }),
      rows.model.countedAlreadyReason(about, { verb: 'loosen', seen, actor: { user } }),
    ];
    const counts = 'ada has already approved this, and that counts (1 of 2)';
    await house.until('it counts', () => why('ada')[0] !== null);
    expect([why('ada'), why('bob'), rows.model.notCountedReason(about, 'approve', { user: 'ada', groups: [] })]).toEqual([
      [counts, counts],
      [null, null],
      null,
    ]);
  });

  it('[issue 12.1] stand in the inbox where a gate keeps them back although no commit waits', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await declare(house, 'web');
    const made = await house.cluster.get({ ...KINDS.helmRelease, namespace: house.ns, name: 'web' });
    const releaseRef = { kind: 'HelmRelease', name: 'web', uid: made.metadata.uid };
    const spec = { releaseRef, verb: 'gate', actor: { user: 'slipway' } };
    const gate = await house.apply({ ...KINDS.releaseDecision, metadata: { name: `gate-${made.metadata.uid}` }, spec });
    const at = '2027-01-15T08:00:00.000Z';
    const approved = { commit: 'c'.repeat(40), chart: 't', at, by: ['ada'] };
    const kept = { phase: 'Accepted', at, gate: { required: 1, groups: [], approved } };
    await house.cluster.update({ ...gate, status: kept }, { subresource: 'status' });
    const message = 'dependencies lead elsewhere';
    const told = (phase: string) =>
      house.cluster.patch(
        { ...KINDS.helmRelease, namespace: house.ns, name: 'web' },
        { type: 'merge', body: { status: { phase, conditions: [{ type: 'ChartFetched', status: 'False', reason: phase, message }] } } },
        { subresource: 'status' },
      );
    const approval = () => seeRows(rows).rows[0]?.approval;
    await told('ApprovalRequired');
    await house.until('it is told', () => approval() === 'Dependencies lead elsewhere');
    await told('ChartFetchFailed');
    await house.until('it is told no more', () => approval() === null);
  });

  it('[issue 12.4] are filtered, ordered and paged where there are 2,000, each in a few hundred bytes', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    for (let at = 0; at < 2000; at++) await declare(house, `web-${String(at).padStart(4, '0')}`);
    await house.until('all are rows', () => seeRows(rows).total === 2000 && seeRows(rows).stale === null);
    expect(seeRows(rows, 'releases?sort=name&desc=1&page=1').rows[0]?.name).toBe('web-1949');
    expect(seeRows(rows, 'releases?q=web-1234').rows.map(({ name }) => name)).toEqual(['web-1234']);
    expect(Buffer.byteLength(JSON.stringify(seeRows(rows).rows[0]))).toBeLessThan(2048);
  });

  it('[issue 12.4] stand in the inbox where they fail, drifted, are held or move, for those who may see releases there', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    const status = async (name: string, more: object) => {
      await declare(house, name);
      const at = { ...KINDS.helmRelease, namespace: house.ns, name };
      await house.cluster.patch(
        at,
        { type: 'merge', body: { status: { observedGeneration: 1, releaseStatus: 'deployed', ...more } } },
        { subresource: 'status' },
      );
    };
    const failure = { failure: { message: 'timed out', by: 'commit' } };
    await status('broken', failure);
    await status('stuck', failure);
    await store(house, 'stuck', 'pending-upgrade');
    await status('back', { phase: 'RolledBack' });
    await status('moving', { phase: 'Upgrading' });
    await status('quiet', { lastAct: { at: '2027-01-15T08:00:00Z', outcome: 'upgraded', revision: 'c0ffee' } });
    await declare(house, 'new');
    await declare(house, 'new', 'fluxHelmRelease'); // which has the release then
    const inbox = (releases: 'all' | readonly string[] = 'all') => {
      const found = rows.see({ kind: 'inbox' }, 'all', releases)?.rows.map((row) => inboxRow.parse(row)) ?? [];
      return found.filter(({ kind }) => kind === 'release').map(({ group, release, href }) => `${group} ${release} ${href}`);
    };
    const at = (name: string) => `/releases/${house.ns}/helmrelease/${name}`;
    const wanted = [
      `failing failed ${at('broken')}`,
      `failing pending ${at('stuck')}`,
      `failing refused ${at('new')}`,
      `failing rolled-back ${at('back')}`,
      `moving changing ${at('moving')}`,
    ];
    await house.until('all are told', () => [...inbox()].sort().join() === wanted.join());
    expect(inbox(['other'])).toEqual([]);
    expect(inbox([house.ns])).toHaveLength(5);
  });

  it('[design 14] are all counted by the status, though the inbox shows the most urgent 200', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    for (let at = 0; at < 205; at++) {
      await declare(house, `web-${at}`);
      await declare(house, `web-${at}`, 'fluxHelmRelease');
    }
    await house.until('all are told', () => rows.see({ kind: 'inbox' }, 'all', 'all')?.total === 205);
    expect(rows.see({ kind: 'inbox' }, 'all', 'all')?.rows).toHaveLength(200);
    expect(statusRow.parse(rows.see({ kind: 'status' }, 'all', 'all')?.rows[0]).counts).toMatchObject({ failing: 205 });
  });

  it('[issue 12.4] stand in the inbox twice where a commit waits for approval and the release failed, under their own name beside an application', () => {
    const back = backFrom(Date.UTC(2026, 10, 20, 9, 30));
    const [ledger, mailer] = releaseRows(back);
    if (ledger === undefined || mailer === undefined) throw new Error('the fixture has two releases');
    const releases = [
      { ...ledger, state: 'held' } as const,
      { ...mailer, name: 'broken', state: 'failed', failedAt: '2026-11-20T09:29:00Z' } as const,
      { ...mailer, approval: 'Commit 0123 waits for approval', approvalCommit: '0123', approvalSince: '2026-11-20T09:00:00Z' },
      { ...mailer, name: 'slow', state: 'changing', approval: 'Commit 4567 waits for approval', approvalCommit: '4567' } as const,
      { ...ledger, kind: 'fluxhelmrelease' } as const,
      { ...mailer, name: 'orphan', state: 'in-sync', goneBranch: 'Branch side no longer exists upstream' } as const,
      { ...mailer, name: 'rewritten', state: 'in-sync', goneCommit: 'The branch no longer contains commit 0123' } as const,
    ];
    const [application] = applicationRows(back);
    const applications =
      application === undefined
        ? []
        : [{ ...application, ns: 'pay', name: 'mailer', waits: 'the plan moved', message: 'Widget a: unknown' }];
    const entries = toInbox(
      { applications, rollouts: [], trackers: [], releases, fluxReleases: [], fluxSources: [] },
      { visibility: 'all', releases: 'all', olderReleases: [], flux: [] },
    );
    expect(entries.map(({ key }) => key).sort()).toEqual([
      'application/pay/mailer',
      'approval/pay/helmrelease/mailer',
      'approval/pay/helmrelease/slow',
      'branch/pay/helmrelease/orphan',
      'commit/pay/helmrelease/rewritten',
      'release/pay/helmrelease/broken',
      'release/pay/helmrelease/ledger',
      'release/pay/helmrelease/mailer',
    ]);
    const rows = new Map(entries.map((row) => [row.key, row]));
    expect(rows.get('branch/pay/helmrelease/orphan')).toMatchObject({ group: 'failing', title: 'Branch deleted', release: 'in-sync' });
    expect(rows.get('commit/pay/helmrelease/rewritten')).toMatchObject({ group: 'failing', title: 'Commit no longer on its branch' });
    expect(rows.get('approval/pay/helmrelease/mailer')).toMatchObject({
      group: 'waits',
      since: '2026-11-20T09:00:00Z',
      href: '/releases/pay/helmrelease/mailer?tab=commits&commit=0123',
    });
    // By when it began to fail, and not by when something was done to it last.
    expect(rows.get('release/pay/helmrelease/broken')).toMatchObject({ group: 'failing', since: '2026-11-20T09:29:00Z' });
    expect(rows.get('release/pay/helmrelease/ledger')).toMatchObject({ since: ledger.lastAct?.at });
    // What waits for a person is what to read there, whatever its objects are like meanwhile.
    expect(rows.get('application/pay/mailer')).toMatchObject({ group: 'waits', sentence: 'the plan moved' });
  });
});
