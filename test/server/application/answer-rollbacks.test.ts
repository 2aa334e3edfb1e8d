import { describe, expect, it } from 'vitest';
import { readNumber } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { KubeApiError } from '@/server/kube';
import { rolloutDigest } from '@/server/rollout';
import { APPLICATION, at, FIRST, ROLLOUT, rolloutOf, Shop } from './rollback-shop';
import { revisionOf } from './seen';

const refusedBy = (code: number, message: string, reason = 'Refused') => new KubeApiError({ code, reason, message });
const untouched = { value: '2', writers: [], record: [] };
const told = ({ value, writers, record }: Shop) => ({ value, writers, record });

describe('a rollback that waits', () => {
  it('[design 5] is carried out as the person who made it, noted with the decision, and accepted then', async () => {
    const shop = new Shop();
    const actor = { user: 'ann', groups: ['ops', 'system:masters', 'system:authenticated'] };
    expect(await shop.pass([shop.decide('back', { actor })])).toBe('written');
    expect(shop.verdict('back')).toEqual(['Accepted', 'rolls back to web-v1: errors']);
    // Groups of the system come with being signed in; nobody is impersonated with them.
    expect([shop.value, shop.writers]).toEqual(['1', [{ user: 'ann', groups: ['ops'] }]]);
    expect(shop.server.peek(APPLICATION)?.metadata.annotations).toMatchObject({
      'slipway.dev/requested-by': 'ann',
      'slipway.dev/requested-by-groups': 'ops',
      'slipway.dev/rolled-back': expect.stringMatching(/^uid-back /),
    });
    expect(shop.record).toMatchObject([
      { id: 'application.rollback:uid-back', actor: 'ann', action: 'application.rollback', message: 'rolls back to web-v1: errors' },
    ]);
  });

  it('[issue 10.1] has the rights asked of the person who made it, groups and all, and of nobody else', async () => {
    const shop = new Shop();
    shop.isAllowed = false;
    expect(await shop.pass([shop.decide('back', { actor: { user: 'ann', groups: ['ops'] } })])).toBeUndefined();
    expect(shop.verdict('back')).toEqual(['Rejected', expect.stringMatching(/^ann may not patch ConfigMap a in shop/)]);
    expect(new Set(shop.asked.map(({ person }) => JSON.stringify(person)))).toEqual(
      new Set([JSON.stringify({ user: 'ann', groups: ['ops'] })]),
    );
    expect(told(shop)).toEqual(untouched);
  });

  it('[issue 10.1] of somebody in no group is asked and written as somebody in no group', async () => {
    const shop = new Shop();
    expect(await shop.pass([shop.decide('back', { actor: { user: 'ann' } })])).toBe('written');
    expect([shop.asked.map(({ person }) => person.groups), shop.writers]).toEqual([[[]], [{ user: 'ann', groups: [] }]]);
  });

  it('[issue 10.1] asks for no right that the change does not need', async () => {
    const shop = new Shop();
    shop.isAllowed = false;
    // Nobody carried out the second version yet: going back to the first asks nothing of the cluster.
    expect(await shop.pass([shop.decide('back')], { revisions: [revisionOf(FIRST)] })).toBe('written');
    expect([shop.asked, shop.value]).toEqual([[], '1']);
  });

  it('[issue 10.2] is done first that was made first, and the next one is judged by what came of it', async () => {
    const shop = new Shop();
    const [younger, older, twin] = [
      shop.decide('a', {}, { creationTimestamp: '2026-01-01T09:00:05Z' }),
      shop.decide('c'),
      shop.decide('b', { actor: { user: 'ann' } }),
    ];
    expect(await shop.pass([younger, older, twin])).toBe('written');
    expect(['a', 'b', 'c'].map((name) => shop.verdict(name)[0])).toEqual(['Pending', 'Accepted', 'Pending']);
    expect(shop.writers).toEqual([{ user: 'ann', groups: [] }]);
  });

  it('[issue 10.2] that is refused does not keep the next one', async () => {
    const shop = new Shop();
    const decisions = [shop.decide('a', { revision: 'web-v9' }), shop.decide('b')];
    expect(await shop.pass(decisions)).toBe('written');
    expect(shop.verdict('a')).toEqual(['Rejected', 'there is no ApplicationRevision web-v9 in shop']);
    expect([shop.verdict('b')[0], shop.value]).toEqual(['Accepted', '1']);
  });

  it.each<[string, (shop: Shop) => KubeObject]>([
    ['that was answered', (shop) => ({ ...shop.decide('back'), status: { phase: 'Rejected' } })],
    ['of another verb', (shop) => shop.decide('back', { verb: 'abort' })],
    ['about an application', (shop) => shop.decide('back', { rolloutRef: undefined, applicationRef: { name: 'web', uid: 'app' } })],
  ])('[issue 10.2] is none %s: that is neither answered nor done', async (_which, made) => {
    const shop = new Shop();
    expect(await shop.pass([made(shop)])).toBeUndefined();
    expect([shop.verdict('back')[0], told(shop), shop.server.requests]).toEqual(['Pending', untouched, []]);
  });

  it.each<[string, (shop: Shop) => void]>([
    [
      'it was answered meanwhile',
      (shop) => shop.change(at(KINDS.stageDecision, 'back'), (held) => ({ ...held, status: { phase: 'Rejected' } })),
    ],
    ['it is gone', (shop) => void shop.server.delete(at(KINDS.stageDecision, 'back'))],
    [
      'another one has its name',
      (shop) => shop.change(at(KINDS.stageDecision, 'back'), (held) => ({ ...held, metadata: { ...held.metadata, uid: 'another' } })),
    ],
    ['the application is gone', (shop) => void shop.server.delete(APPLICATION)],
    ['the rollout is gone', (shop) => void shop.server.delete(ROLLOUT)],
  ])('[issue 10.2] is not done where %s, whatever a copy still shows', async (_which, becomes) => {
    const shop = new Shop();
    const copy = shop.decide('back');
    becomes(shop);
    expect(await shop.pass([copy])).toBeUndefined();
    expect([shop.writers, shop.record, shop.asked]).toEqual([[], [], []]);
    expect(shop.verdict('back')[0]).not.toBe('Accepted');
  });

  it('[design 13 K] that was carried out already is accepted and not done again', async () => {
    const shop = new Shop();
    // The rollout has moved on since, and the decision names what it was.
    const copy = shop.decide('back', { seen: { rollout: 'older' } });
    shop.change(APPLICATION, (held) => ({
      ...held,
      metadata: { ...held.metadata, annotations: { 'slipway.dev/rolled-back': 'uid-back x' } },
    }));
    expect(await shop.pass([copy])).toBeUndefined();
    expect([shop.verdict('back'), told(shop)]).toEqual([['Accepted', 'rolls back to web-v1: errors'], untouched]);
  });

  it('[design 13 K] is tried again where somebody wrote the application in between', async () => {
    const shop = new Shop();
    shop.server.addFaults([{ verb: 'update', kind: 'Application', code: 409, times: 1 }]);
    expect(await shop.pass([shop.decide('back')])).toBe('written');
    expect([shop.verdict('back')[0], shop.value, shop.writers.length]).toEqual(['Accepted', '1', 1]);
  });

  it('[issue 10.2] writes nothing once the pass is over', async () => {
    const shop = new Shop();
    const copy = shop.decide('back');
    shop.abort.abort(new Error('another replica acts'));
    await expect(shop.pass([copy])).rejects.toThrow('another replica acts');
    expect([shop.verdict('back')[0], told(shop), shop.server.requests]).toEqual(['Pending', untouched, []]);
  });
});

describe('a rollback that may not be carried out', () => {
  const rejected = async (shop: Shop, over: object = {}) => {
    expect(await shop.pass([shop.decide('back', over)])).toBeUndefined();
    expect(told(shop)).toEqual(untouched);
    const [phase, message] = shop.verdict('back');
    expect(phase).toBe('Rejected');
    return message;
  };

  it.each<[string, object, string]>([
    ['about another state of the rollout', { seen: { rollout: 'older' } }, 'Rejected'],
    ['that tells nothing of what was seen', { seen: undefined }, 'Rejected'],
    ['about a former rollout of the name', { rolloutRef: { name: 'web', uid: 'former' } }, 'Rejected'],
    ['without a reason', { reason: ' ' }, 'Rejected'],
    ['that has expired', { expiresAt: '2026-01-01T08:00:00Z' }, 'Expired'],
  ])('[issue 10.2] is one %s, and no right is asked for it', async (_which, over, phase) => {
    const shop = new Shop();
    expect(await shop.pass([shop.decide('back', over)])).toBeUndefined();
    expect([shop.verdict('back')[0], told(shop), shop.asked]).toEqual([phase, untouched, []]);
  });

  it('[issue 10.2] is one while no decision counts, whatever else holds', async () => {
    const shop = new Shop();
    const asked: unknown[] = [];
    const decisionsBlockedReason = (verb?: string) => {
      asked.push(verb);
      return verb === 'rollback' ? 'the admission policies differ' : null;
    };
    shop.deps = { decisionsBlockedReason };
    expect([await rejected(shop), asked]).toEqual(['the admission policies differ', ['rollback']]);
  });

  it('[issue 10.2] is one while somebody has the rollout held, or it cannot be read', async () => {
    const held = new Shop();
    held.change(ROLLOUT, (rollout) => ({
      ...rollout,
      metadata: { ...rollout.metadata, annotations: { 'cluster.x-k8s.io/paused': 'true' } },
    }));
    expect(await rejected(held)).toContain('cluster.x-k8s.io/paused');
    const broken = new Shop();
    broken.change(ROLLOUT, (rollout) => ({ ...rollout, spec: { ...(rollout.spec as object), control: { gates: 'some' } } }));
    expect(await rejected(broken)).toContain('spec.control');
  });

  it('[issue 9.3] is one where it is unknown whether the rollout has gates', async () => {
    const shop = new Shop();
    shop.deps = { decisionsBlockedReason: () => null, dropped: () => 'the definition drops it' };
    expect(await rejected(shop)).toMatch(/^it is unknown whether this rollout has gates: the definition drops it/);
    const kept = new Shop();
    kept.deps = { decisionsBlockedReason: () => null, dropped: () => null };
    expect(await kept.pass([kept.decide('back')])).toBe('written');
  });

  it('[issue 10.2] is one of a rollout that belongs to another application of the name', async () => {
    const shop = new Shop();
    shop.server.seed(rolloutOf('former'));
    expect(await rejected(shop)).toBe('a rollback changes the application, and this rollout has none; change its target instead');
  });

  it('[design 5] is one of an application that is being deleted', async () => {
    const shop = new Shop();
    shop.change(APPLICATION, (held) => ({ ...held, metadata: { ...held.metadata, deletionTimestamp: '2026-01-01T09:00:00Z' } }));
    expect(await rejected(shop)).toBe('Application web in shop is being deleted');
  });

  it('[issue 9.4] is one of an application that is another one than was reviewed, by its uid as by its generation', async () => {
    const changed = 'Application web in shop has changed since it was reviewed; review it and decide again';
    const seenAs = (application: object) => {
      const shop = new Shop();
      return { shop, over: { seen: { rollout: rolloutDigest(shop.server.peek(ROLLOUT) as KubeObject), application } } };
    };
    for (const application of [
      { uid: 'former', generation: 2 },
      { uid: 'app', generation: 1 },
    ]) {
      const { shop, over } = seenAs(application);
      expect(await rejected(shop, over)).toBe(changed);
    }
    const { shop, over } = seenAs({ uid: 'app', generation: 2 });
    expect(await shop.pass([shop.decide('back', over)])).toBe('written');
  });

  it.each([
    ['system:admin', 'Rejected'],
    ['system:kube-scheduler', 'Rejected'],
    ['system:serviceaccounts', 'Rejected'],
    ['system:serviceaccount:shop:deployer', 'Accepted'],
    ['the-system:admin', 'Accepted'],
  ])('[issue 10.1] is one by a user of the system, service accounts aside: %s', async (user, phase) => {
    const shop = new Shop();
    await shop.pass([shop.decide('back', { actor: { user, groups: [] } })]);
    expect(shop.verdict('back')[0]).toBe(phase);
    if (phase === 'Rejected') {
      expect(shop.verdict('back')[1]).toBe(
        `a rollback is written as the person who decides it, and no one may act as ${user}; decide it as a person`,
      );
      expect([told(shop), shop.asked]).toEqual([untouched, []]);
    } else expect(shop.writers).toEqual([{ user, groups: [] }]);
  });

  it('[issue 10.2] is one to a revision of a former application of the name', async () => {
    const shop = new Shop();
    shop.server.seed(revisionOf({ ...FIRST, metadata: { ...FIRST.metadata, uid: 'former' } }).object);
    expect(await rejected(shop)).toBe('web-v1 is not a revision of web');
  });

  it.each([
    [400, 'Rejected'],
    [403, 'Rejected'],
    [413, 'Rejected'],
    [422, 'Rejected'],
    [401, 'Pending'],
    [429, 'Pending'],
    [500, 'Pending'],
  ])('[design 5] is one that the API server refuses for good, and no other: %i', async (code, phase) => {
    const shop = new Shop();
    const copy = shop.decide('back');
    shop.refusal = refusedBy(code, 'no');
    const passed = shop.pass([copy]);
    if (phase === 'Rejected') expect(await passed).toBeUndefined();
    else await expect(passed).rejects.toThrow('no');
    const message = phase === 'Rejected' ? 'it could not be written as the person who decided it: no' : '';
    expect([shop.verdict('back'), told(shop)]).toEqual([[phase, message], untouched]);
  });

  it('[design 5] is not one that failed on the way, and it waits', async () => {
    const shop = new Shop();
    const copy = shop.decide('back');
    shop.refusal = new Error('the connection broke') as unknown as KubeApiError; // anything may be thrown
    await expect(shop.pass([copy])).rejects.toThrow('the connection broke');
    expect([shop.verdict('back')[0], told(shop)]).toEqual(['Pending', untouched]);
  });
});

describe('a rollback where the server may act as nobody', () => {
  const REFUSED = 'users "root" is forbidden: User "slipway" cannot impersonate resource "users" in API group ""';
  const withoutImpersonation = () => {
    const shop = new Shop();
    shop.refusal = refusedBy(403, REFUSED, 'Forbidden');
    return shop;
  };
  const made = (shop: Shop, name: string, ageMs: number) =>
    shop.decide(name, {}, { creationTimestamp: new Date(shop.clock.now() - ageMs).toISOString() });

  it('[issue 10.1] waits for the console for half a minute, and a younger one that is refused for good is answered meanwhile', async () => {
    const shop = withoutImpersonation();
    const decisions = [
      made(shop, 'back', 29_000),
      shop.decide('other', { revision: 'web-v9' }, { creationTimestamp: new Date(shop.clock.now()).toISOString() }),
    ];
    expect(await shop.pass(decisions)).toBe('awaited');
    expect([shop.verdict('back')[0], shop.verdict('other')[0], told(shop)]).toEqual(['Pending', 'Rejected', untouched]);
  });

  it.each([
    ['is that old', 30_000],
    ['has no time that could be read', undefined],
  ])('[issue 10.1] is rejected with what to do instead once it %s', async (_which, ageMs) => {
    const shop = withoutImpersonation();
    const decision = ageMs === undefined ? shop.decide('back', {}, { creationTimestamp: undefined }) : made(shop, 'back', ageMs);
    expect(await shop.pass([decision])).toBeUndefined();
    expect(shop.verdict('back')).toEqual([
      'Rejected',
      `the server may not impersonate root, so it could not roll the application back for them; decide it in the console, signed in with a token of the cluster, or change the application: ${REFUSED}`,
    ]);
    expect([told(shop), readNumber(shop.server.peek(APPLICATION), 'metadata', 'generation')]).toEqual([untouched, 2]);
  });
});
