import { describe, expect, it } from 'vitest';
import type { Fields } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toInstant } from '@/lib/std/instant';
import { formatRelease } from '@/lib/words/format-release';
import { toReleaseDetail } from '@/server/readmodel/releases/release-detail';
import type { Given } from './release-rig';
import { base, COMMIT, failed, look, NOW, released, SPEC, tell, uninstall } from './release-rig';

describe('what a person may do with a release', () => {
  it.each([
    [0, 'Helm has stored no earlier revision to roll back to'],
    [1, 'Helm has stored no earlier revision to roll back to'],
    [2, null],
    [undefined, null],
  ])('[issue 14.1] of %s stored revisions offers a rollback, or says why not', (revisions, said) => {
    const { why = null } = tell({ status: released(), seen: { revisions } }).acts.find(({ verb }) => verb === 'rollback') ?? {};
    expect(why && formatRelease(why)).toBe(said);
  });

  it.each([
    ['failed', 'extended', 'does.sync-failed'],
    ['failed', 'base', 'does.sync-upgrades'],
    ['deployed', 'extended', 'does.sync-upgrades'],
  ] as const)('[issue 12.4] says of one that is %s, of the %s kind, what syncing it would do: %s', (releaseStatus, profile, said) => {
    const { acts } = tell({ ...(profile === 'base' ? base : {}), status: released({ releaseStatus }) });
    expect(acts.find(({ verb }) => verb === 'sync')?.consequences.map(({ id }) => id)).toEqual(['does.sync', said]);
  });

  it('[issue 12.4] says as whom Helm would roll back, and offers it of one that is pending only while Helm runs', () => {
    const of = (seen: Given['seen'], status: Fields = released()) => {
      const { why, consequences } = tell({ status, seen: { revisions: 2, ...seen } }).acts.find(({ verb }) => verb === 'rollback') ?? {};
      return why ? formatRelease(why) : formatRelease(consequences?.[0] ?? { id: 'state.suspended' });
    };
    expect(of({})).toBe('Helm rolls back to the chosen revision as the server.');
    expect(of({ account: 'deployer' })).toBe('Helm rolls back to the chosen revision as service account deployer of namespace shop.');
    const pending = { phase: 'Upgrading', releaseStatus: 'pending-upgrade' };
    const at = (until: Instant | null) => ({ work: { ...uninstall, command: 'upgrade', until } });
    expect(of(at(null), pending)).toContain('Helm rolls back');
    expect(of(at(NOW), pending)).toBe("Helm's storage says pending-upgrade, so nothing can be released over it until someone unlocks it");
  });

  const upgradedTo = (to: string) => `If values or chart differ, it is upgraded to the ${to}.`;
  const staysFor = (of: string) => `It stays as it is: no ${of} of its chart has been approved yet.`;
  const gate = { required: 1, groups: [] };
  const approved = { commit: COMMIT, chart: 'tree', at: '', by: ['ada'] };
  const current = { revision: '1.0.0', digest: 'sha256:a', at: '', by: [] };
  const pulled = { chart: { repository: 'https://charts.example.com', name: 'web', version: '1.x' } };
  it.each<[Partial<NonNullable<Given['seen']>>['gate'], Fields, string]>([
    [undefined, SPEC, upgradedTo('newest commit of its chart')],
    [{ ...gate, approved }, SPEC, upgradedTo('last approved commit')],
    [gate, SPEC, staysFor('commit')],
    [undefined, pulled, upgradedTo('archive that its version resolves to')],
    [{ ...gate, archive: { current } }, pulled, upgradedTo('last approved archive')],
    [{ ...gate, archive: {} }, pulled, upgradedTo('archive that its version resolves to')],
    [{ ...gate, archive: { waiting: { revision: '1.0.1', digest: 'sha256:b', at: '' } } }, pulled, staysFor('archive')],
  ])('[issue 12.4] says where the end of a hold would take a release whose gate is %j, of chart %j: %s', (kept, spec, does) => {
    const [says] = tell({ status: released(), spec, seen: { gate: kept } }).acts.find(({ verb }) => verb === 'lift')?.consequences ?? [];
    expect(says && formatRelease(says)).toBe(`The release is reconciled at once. ${does}`);
  });

  it('[issue 12.4] says while Helm is running that the result follows, and for what a decision waits that must be alone on the release', () => {
    const work = { ...uninstall, command: 'upgrade' } as const;
    const told = tell({ status: { phase: 'Upgrading', releaseStatus: 'pending-upgrade' }, seen: { work, reconciles: [look('equal')] } });
    expect(formatRelease(told.upgrade)).toBe('Helm is running; the result follows');
    const unseen = tell({ status: { phase: 'Upgrading' }, seen: { loops: { kind: 'elsewhere' } } });
    expect(unseen.upgrade).toEqual(unseen.says);
    const cancelOf = ({ acts }: typeof told) => acts.find(({ verb }) => verb === 'cancel')?.consequences.map(({ id }) => id);
    expect(cancelOf(told)).toEqual(['does.cancel', 'does.cancel-leaves', 'does.cancel-then']);
    expect(cancelOf(tell({ seen: { work: { ...work, isWaiting: true } } }))).toEqual(['does.cancel-waiting']);
    const decision = (verb: string): KubeObject => ({
      ...KINDS.releaseDecision,
      metadata: { namespace: 'shop', name: verb, uid: verb },
      spec: { verb, actor: { user: 'ada', groups: [] }, releaseRef: { kind: 'HelmRelease', name: 'web', uid: 'u' }, revision: 1 },
    });
    const object = { ...KINDS.helmRelease, metadata: { namespace: 'shop', name: 'web', uid: 'u' } };
    const saysOf = (seen: typeof told) =>
      toReleaseDetail(
        { object, kind: 'helmrelease', told: seen },
        {
          journal: { about: () => [] },
          engine: { mode: 'drive', why: null },
          releases: { decisionsAbout: () => [decision('rollback'), decision('sync')] },
        },
      ).decisions.map(({ message }) => message);
    expect(saysOf(told)).toEqual(['waits until the Helm process that is running has ended', '']);
    expect(saysOf({ ...told, work: { ...work, until: NOW } })).toEqual(['', '']);
  });

  it('[issue 12.1] tells with which chart a commit was approved, for whoever approves the same while a newer one waits', () => {
    const releaseRef = { kind: 'HelmRelease', name: 'web', uid: 'u' };
    const spec = { verb: 'approve', actor: { user: 'ada', groups: [] }, releaseRef, commit: COMMIT, seen: { chart: 'c'.repeat(40) } };
    const approval = { ...KINDS.releaseDecision, metadata: { namespace: 'shop', name: 'a', uid: 'a' }, spec };
    const object = { ...KINDS.helmRelease, metadata: { namespace: 'shop', name: 'web', uid: 'u' } };
    const { decisions } = toReleaseDetail(
      { object, kind: 'helmrelease', told: tell({ status: released() }) },
      { journal: { about: () => [] }, engine: { mode: 'drive', why: null }, releases: { decisionsAbout: () => [approval] } },
    );
    expect(decisions).toMatchObject([{ commit: COMMIT, chart: 'c'.repeat(40) }]);
  });
});

it('[issue 12.3] tells when the repository is fetched again of what failed for want of its chart, and of nothing else', () => {
  const nextFetchAt = toInstant(NOW + 60_000);
  const said = (phase: string, given = {}) =>
    formatRelease(tell({ ...given, status: released({ phase }), seen: { reconciles: [failed], nextFetchAt } }).says);
  const again = '; the repository is fetched again at 2027-01-15T08:01:00.000Z';
  expect(said('ChartFetchFailed')).toContain(`timed out${again}`);
  expect(said('NotGranted')).toBe('failed after a new commit: timed out');
  expect(said('DeployFailed', base)).toContain(`timed out${again}`);
});
