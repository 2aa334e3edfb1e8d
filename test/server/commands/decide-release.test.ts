import { describe, expect, it } from 'vitest';
import type { ReleaseDecisionRequest, ReleaseVerb } from '@/lib/contract/release-decision';
import { RELEASE_VERBS } from '@/lib/contract/release-decision';
import { KINDS } from '@/lib/kube/kinds';
import { createCommandRig, SHOP } from './rig';

const COMMIT = 'a'.repeat(40);
const SEEN = { stored: 4, hold: 'web-hold', chart: 'tree', gate: 'was and would be' };
const metadata = { namespace: 'shop', name: 'web', uid: 'hr-uid' };
const objects = [
  { ...KINDS.helmRelease, metadata, spec: {} },
  { ...KINDS.fluxHelmRelease, metadata: { ...metadata, uid: 'fhr-uid' }, spec: {} },
  { ...KINDS.olderHelmRelease, metadata: { ...metadata, uid: 'older-uid' }, spec: {} },
];
/** A request that lacks nothing. */
const aRequest = (over: Partial<ReleaseDecisionRequest> = {}): ReleaseDecisionRequest => ({
  kind: 'helmrelease',
  verb: 'sync',
  uid: 'hr-uid',
  revision: 3,
  commit: COMMIT,
  reason: 'errors',
  seen: SEEN,
  ...over,
});
const STALE = { since: '2026-01-01T08:59:00Z', reason: 'the watch is gone' };
const STOPPING: readonly ReleaseVerb[] = ['hold', 'cancel'];

describe('deciding about a release', () => {
  it.each(RELEASE_VERBS)('[issue 12] writes %s as an object of its own, as the person, for ten minutes', async (verb) => {
    const { commands, session, cluster, recorded } = await createCommandRig({ objects });
    expect(await commands.decideRelease(session, SHOP, aRequest({ verb }))).toMatchObject({
      accepted: { kind: 'ReleaseDecision', ns: 'shop' },
    });
    expect(cluster.writes).toMatchObject([
      { verb: 'create', fieldManager: 'slipway.dev/console', dryRun: false, person: { user: 'operator', groups: ['slipway:operators'] } },
    ]);
    expect(cluster.writes[0]?.object).toEqual({
      ...KINDS.releaseDecision,
      metadata: { generateName: 'web-', namespace: 'shop' },
      spec: {
        releaseRef: { kind: 'HelmRelease', name: 'web', uid: 'hr-uid' },
        verb,
        actor: { user: 'operator', groups: ['slipway:operators'] },
        expiresAt: '2026-01-01T09:10:00Z',
        revision: 3,
        commit: COMMIT,
        reason: 'errors',
        seen: SEEN,
      },
    });
    expect(recorded).toEqual([]);
  });

  it('[issue 12] names the other kind of release as such, and leaves out what was not said', async () => {
    const { commands, session, cluster } = await createCommandRig({ objects });
    await commands.decideRelease(session, SHOP, { kind: 'fluxhelmrelease', verb: 'sync', uid: 'fhr-uid', reason: '' });
    expect(cluster.writes[0]?.object.spec).toMatchObject({ releaseRef: { kind: 'FluxHelmRelease', name: 'web', uid: 'fhr-uid' } });
    expect(Object.keys(cluster.writes[0]?.object.spec ?? {})).toEqual(['releaseRef', 'verb', 'actor', 'expiresAt']);
  });

  it('[issue 12.1] names a HelmRelease of flux.weave.works with its group, and is refused where the definition would drop that', async () => {
    const { commands, session, cluster } = await createCommandRig({ objects });
    const request = { kind: 'helmrelease-v1beta1', verb: 'sync', uid: 'older-uid' } as const;
    await commands.decideRelease(session, SHOP, request);
    expect(cluster.writes[0]?.object.spec).toMatchObject({
      releaseRef: { kind: 'HelmRelease', group: 'flux.weave.works', name: 'web', uid: 'older-uid' },
    });
    await expect(commands.decideRelease(session, SHOP, { ...request, uid: 'hr-uid' })).rejects.toMatchObject({ code: 'conflict' });
    const old = await createCommandRig({ objects });
    old.dropped = (_kind, field) => (field === 'spec.releaseRef.group' ? 'the group is dropped' : null);
    await expect(old.commands.decideRelease(old.session, SHOP, request)).rejects.toThrow('the group is dropped');
    await old.commands.decideRelease(old.session, SHOP, aRequest());
    expect(old.cluster.writes).toHaveLength(1);
  });

  it('[issue 12] approves an archive by its digest alone', async () => {
    const { commands, session, cluster } = await createCommandRig({ objects });
    await commands.decideRelease(session, SHOP, aRequest({ verb: 'approve', commit: undefined, digest: 'b'.repeat(64) }));
    expect(cluster.writes[0]?.object.spec).toMatchObject({ verb: 'approve', digest: 'b'.repeat(64) });
    expect(cluster.writes[0]?.object.spec).not.toHaveProperty('commit');
  });

  it.each<[string, Partial<ReleaseDecisionRequest>, string]>([
    ['a rollback without reason', { verb: 'rollback', reason: undefined }, 'rollback needs a reason of a few words'],
    ['a hold without reason', { verb: 'hold', reason: '' }, 'hold needs a reason of a few words'],
    ['an unlock without reason', { verb: 'unlock', reason: undefined }, 'unlock needs a reason of a few words'],
    ['a loosening without reason', { verb: 'loosen', reason: undefined }, 'loosen needs a reason of a few words'],
    ['a rollback to nowhere', { verb: 'rollback', revision: undefined }, 'needs the stored revision to roll back to'],
    [
      'a rollback that saw nothing',
      { verb: 'rollback', seen: { ...SEEN, stored: undefined } },
      'needs the newest stored revision as it was seen',
    ],
    ['a rollback of somebody who saw nothing', { verb: 'rollback', seen: undefined }, 'needs the newest stored revision as it was seen'],
    [
      'an approval of somebody who saw nothing',
      { verb: 'approve', seen: undefined },
      'needs the chart of the commit or the version of the archive as it was seen',
    ],
    ['a lift of somebody who saw nothing', { verb: 'lift', seen: undefined }, 'needs the decision that holds the release as it was seen'],
    [
      'an approval of nothing',
      { verb: 'approve', commit: undefined },
      'needs the commit or the archive that the release goes to, found neither',
    ],
    ['an approval of a commit and an archive', { verb: 'approve', digest: 'a'.repeat(64) }, 'that the release goes to, found both'],
    [
      'an approval that saw no chart',
      { verb: 'approve', seen: { ...SEEN, chart: undefined } },
      'needs the chart of the commit or the version of the archive as it was seen',
    ],
    ['a loosening that saw nothing', { verb: 'loosen', seen: undefined }, 'needs what is in force and what would be as it was seen'],
    ['an unlock that saw nothing', { verb: 'unlock', seen: undefined }, 'needs the pending revision as it was seen'],
    [
      'a lift that saw no hold',
      { verb: 'lift', seen: { ...SEEN, hold: undefined } },
      'needs the decision that holds the release as it was seen',
    ],
  ])('[issue 12] refuses %s, and writes nothing', async (_what, over, sentence) => {
    const { commands, session, cluster } = await createCommandRig({ objects });
    await expect(commands.decideRelease(session, SHOP, aRequest(over))).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining(sentence),
    });
    expect(cluster.writes).toEqual([]);
  });

  it.each(
    RELEASE_VERBS.filter((verb) => verb !== 'approve' && verb !== 'rollback' && verb !== 'loosen' && verb !== 'unlock' && verb !== 'lift'),
  )('[issue 12] needs of %s nothing of what the others want', async (verb) => {
    const { commands, session } = await createCommandRig({ objects });
    const request = { kind: 'helmrelease', verb, uid: 'hr-uid', reason: verb === 'hold' ? 'errors' : undefined } as const;
    expect(await commands.decideRelease(session, SHOP, request)).toBeDefined();
  });

  it.each(RELEASE_VERBS)(
    '[issue 12] only stopping goes on while what is seen is old, and while nothing can be put on record: %s',
    async (verb) => {
      const [old, unrecorded] = [await createCommandRig({ objects }), await createCommandRig({ objects })];
      old.stale = STALE;
      unrecorded.unrecorded = new Error('the store is down');
      const decided = [old, unrecorded].map(({ commands, session }) => commands.decideRelease(session, SHOP, aRequest({ verb })));
      if (STOPPING.includes(verb)) return expect(await Promise.all(decided)).toHaveLength(2);
      await expect(decided[0]).rejects.toMatchObject({ code: 'stale', message: expect.stringContaining(STALE.reason) });
      await expect(decided[1]).rejects.toThrow('the store is down');
      expect([...old.cluster.writes, ...unrecorded.cluster.writes]).toEqual([]);
    },
  );

  it('[issue 12.1] is refused with what counts already of the same person, and nothing is written', async () => {
    const rig = await createCommandRig({ objects });
    rig.countedAlreadyReason = ({ kind, ns, name }, { verb, commit, seen, actor }) =>
      verb === 'approve' ? `${actor.user} has approved ${commit} (${seen?.chart}) of ${kind} ${ns}/${name}` : null;
    const [commit, seen] = ['c'.repeat(40), { chart: 'd' }];
    await expect(rig.commands.decideRelease(rig.session, SHOP, aRequest({ verb: 'approve', commit, seen }))).rejects.toMatchObject({
      code: 'conflict',
      message: `${rig.session.person.user} has approved ${commit} (d) of helmrelease shop/web`,
    });
    expect(rig.cluster.writes).toEqual([]);
    expect(await rig.commands.decideRelease(rig.session, SHOP, aRequest())).toBeDefined();
  });

  it('[issue 12] refuses whom the cluster gives no right to that verb on that release, whichever kind it is', async () => {
    const { commands, session, cluster } = await createCommandRig({
      objects,
      may: ({ verb, resource }) => verb === 'create' || resource !== 'helmreleases',
    });
    await expect(commands.decideRelease(session, SHOP, aRequest())).rejects.toMatchObject({ code: 'forbidden' });
    expect(cluster.writes).toEqual([]);
    expect(cluster.asked).toContainEqual(
      expect.objectContaining({ verb: 'sync', resource: 'helmreleases', namespace: 'shop', name: 'web' }),
    );
    expect(await commands.decideRelease(session, SHOP, aRequest({ kind: 'fluxhelmrelease', uid: 'fhr-uid' }))).toBeDefined();
  });

  it('[issue 12] is refused for a release that was replaced by another of its name, and for none', async () => {
    const { commands, session, cluster } = await createCommandRig({ objects });
    await expect(commands.decideRelease(session, SHOP, aRequest({ uid: 'fhr-uid' }))).rejects.toMatchObject({ code: 'conflict' });
    await expect(commands.decideRelease(session, { ns: 'shop', name: 'gone' }, aRequest())).rejects.toThrow(
      'there is no HelmRelease gone in shop',
    );
    expect(cluster.writes).toEqual([]);
  });

  it('[issue 12] is refused where nobody would answer, nothing ties it to its person, or the definition knows no such verb', async () => {
    const rig = await createCommandRig({ objects });
    const decided = (verb: ReleaseVerb) => rig.commands.decideRelease(rig.session, SHOP, aRequest({ verb }));
    rig.standingOf = (engine) => (engine === 'chartsync' ? 'a helm-operator drives releases' : null);
    await expect(decided('cancel')).rejects.toMatchObject({ code: 'unavailable', message: 'a helm-operator drives releases' });
    rig.standingOf = () => null;
    rig.decisionsBlockedReason = 'the admission policy is missing';
    await expect(decided('cancel')).rejects.toMatchObject({ code: 'unavailable', message: rig.decisionsBlockedReason });
    rig.decisionsBlockedReason = null;
    rig.dropped = (kind, field, value) =>
      `${kind} ${field} ${value}` === 'ReleaseDecision spec.verb loosen' ? 'it refuses loosen as spec.verb' : null;
    await expect(decided('loosen')).rejects.toMatchObject({ code: 'unavailable', message: 'it refuses loosen as spec.verb' });
    expect(rig.cluster.writes).toEqual([]);
    expect(await decided('sync')).toBeDefined();
  });
});

describe('what a person may do with a release', () => {
  it('[issue 12] is told verb by verb, with the sentence why not, for each kind', async () => {
    const denied = ['approve', 'delete'];
    const { commands, session } = await createCommandRig({
      objects,
      may: ({ verb, resource }) => resource !== 'helmreleases' || !denied.includes(verb),
    });
    const told = await commands.readReleaseRights(session, { kind: 'helmrelease', ...SHOP });
    expect(Object.keys(told)).toEqual([...RELEASE_VERBS, 'edit', 'uninstall']);
    expect(Object.entries(told).filter(([, why]) => why !== null)).toEqual([
      ['approve', expect.stringContaining('approve')],
      ['uninstall', expect.stringContaining('delete')],
    ]);
    const other = await commands.readReleaseRights(session, { kind: 'fluxhelmrelease', ...SHOP });
    expect(Object.values(other).every((why) => why === null)).toBe(true);
  });

  it('[issue 12.1] is told that it would not count where the gate asks for others, and of no other act', async () => {
    const rig = await createCommandRig({ objects });
    rig.notCountedReason = ({ kind, ns, name }, verb, { user }) => `${verb} of ${kind} ${ns}/${name}: ${user} is in none of the groups`;
    const told = await rig.commands.readReleaseRights(rig.session, { kind: 'helmrelease', ...SHOP });
    const { user } = rig.session.person;
    expect(Object.entries(told).filter(([, why]) => why !== null)).toEqual(
      ['approve', 'loosen'].map((verb) => [verb, `${verb} of helmrelease shop/web: ${user} is in none of the groups`]),
    );
  });

  it('[issue 12] is told of changing it as well', async () => {
    const { commands, session } = await createCommandRig({ objects, may: ({ verb }) => verb !== 'update' });
    const told = await commands.readReleaseRights(session, { kind: 'helmrelease', ...SHOP });
    expect(Object.entries(told).flatMap(([act, why]) => (why === null ? [] : [act]))).toEqual(['edit']);
  });
});
