import { describe, expect, it } from 'vitest';
import type { AskedRight } from '../server/auth/fake-cluster';
import { startHub, subscribe } from '../server/realtime/rig';
import { ManualClock } from '../support/manual-clock';
import { until } from '../support/until';
import { defineWithdrawnRights, openTopics, row } from './define-withdrawn-rights';

const ROUND_MS = 4000;
const TOPICS = { inbox: [row('a')], 'application/shop/web': [row('web')], 'rollout/shop/web': [row('web')], applications: [row('web')] };

defineWithdrawnRights('embedded');

describe('a right that is withdrawn', () => {
  it('[issue 10, 1] is asked about every four seconds, once per person, verb, kind and namespace over all their tabs', async () => {
    const clock = new ManualClock();
    const topics = { ...TOPICS, 'application/shop/api': [row('api')] };
    await using rig = await startHub({ topics, clock });
    for (let tab = 0; tab < 4; tab++) await openTopics(rig, ['inbox', 'application/shop/web', 'application/shop/api', 'applications']);
    const before = rig.cluster.asked.length;
    await clock.advance(ROUND_MS);
    await until('all is asked', () => rig.cluster.asked.length >= before + 5);
    const text = ({ verb, resource, namespace, name }: AskedRight) => `${verb} ${resource} ${namespace ?? '*'} ${name ?? '*'}`;
    // The inbox tells of releases too, where all kinds may be listed, of which two have a name.
    const releases = ['list fluxhelmreleases * *', 'list helmreleases * *', 'list helmreleases * *'];
    const wanted = ['get applications shop *', 'list applications * *', ...releases];
    expect(rig.cluster.asked.slice(before).map(text).sort()).toEqual(wanted);
  });

  it('[issue 10, 1] is not prolonged by an answer that is kept: open views are asked about past it', async () => {
    const clock = new ManualClock();
    let allowed = true;
    await using rig = await startHub({ topics: TOPICS, clock, rules: { may: () => allowed } });
    const browser = await openTopics(rig, ['rollout/shop/web']);
    await clock.advance(ROUND_MS - 100);
    const session = await rig.auth.readSession(rig.cookie);
    await rig.auth.authorise(session, { kind: 'view-topic', topic: { kind: 'rollout', ns: 'shop', name: 'web' } });
    allowed = false;
    await clock.advance(100);
    await until('the view is closed', () => browser.resets.length > 0);
  });

  it('[issue 10, 1] ends with the groups that gave it, a minute after the cluster says so, and the session goes on with what is left', async () => {
    const tokens = { tok: { username: 'ada', groups: ['team', 'rollouts'] } };
    const may = ({ resource, groups }: AskedRight) =>
      resource === 'rolloutorchestrators' ? groups.includes('rollouts') : groups.includes('team');
    const clock = new ManualClock();
    await using rig = await startHub({ topics: TOPICS, clock, rules: { tokens, may }, auth: { mode: 'token' }, token: 'tok' });
    const browser = await openTopics(rig, ['inbox', 'rollout/shop/web']);
    tokens.tok = { username: 'ada', groups: ['team'] };
    await clock.advance(60_000 + ROUND_MS);
    await until('the view is closed', () => browser.resets.length > 0);
    expect(browser.resets).toEqual(['rollout/shop/web']);
    expect(browser.client.connected).toBe(true);
    expect(await rig.auth.readSession(rig.cookie)).toMatchObject({ groups: ['team'], person: { groups: ['team'], token: 'tok' } });
    expect(await subscribe(browser, 'rollout/shop/web')).toMatchObject({ kind: 'refused', code: 'forbidden' });
  });
});
