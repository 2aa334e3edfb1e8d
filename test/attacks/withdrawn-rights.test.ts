import { describe, expect, it } from 'vitest';
import type { Keyed } from '@/lib/contract/live';
import type { KubeObject } from '@/lib/kube/object';
import { startEmbedded } from '@/server/embedded';
import type { Cluster } from '@/server/kube';
import { createRandom, silentLog, systemIds } from '@/server/platform';
import type { AskedRight } from '../server/auth/fake-cluster';
import type { HubRig, Seen } from '../server/realtime/rig';
import { startHub, subscribe } from '../server/realtime/rig';
import { createFastClock } from '../support/fast-clock';
import { ManualClock } from '../support/manual-clock';
import { until } from '../support/until';

const LIMIT_MS = 5000;
const SPEED = 10;
const ROUND_MS = 4000;
const GROUP = 'rbac.authorization.k8s.io';
const row = (key: string): Keyed => ({ key });
const TOPICS = { inbox: [row('a')], 'application/shop/web': [row('web')], 'rollout/shop/web': [row('web')], applications: [row('web')] };

/** Whoever signs in with the printed token may look at applications and rollouts of the namespace, by this binding. */
const ROLE = {
  apiVersion: `${GROUP}/v1`,
  kind: 'Role',
  metadata: { name: 'look', namespace: 'shop' },
  rules: [{ apiGroups: ['core.oam.dev', 'serving.knative.dev'], resources: ['*'], verbs: ['get', 'list'] }],
} as KubeObject;
const BINDING = {
  apiVersion: `${GROUP}/v1`,
  kind: 'RoleBinding',
  metadata: { name: 'look', namespace: 'shop' },
  roleRef: { apiGroup: GROUP, kind: 'Role', name: 'look' },
  subjects: [{ apiGroup: GROUP, kind: 'User', name: 'operator' }],
} as KubeObject;
const AT = { apiVersion: `${GROUP}/v1`, kind: 'RoleBinding', namespace: 'shop', name: 'look' };

/** The hub over the simulator, both with a clock that runs faster. */
async function startOnEmbedded() {
  const clock = createFastClock(SPEED);
  const embedded = await startEmbedded({ clock, random: createRandom(3), ids: systemIds, log: silentLog, nodes: 0 });
  const cluster: Cluster = embedded.cluster;
  for (const object of [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }, ROLE, BINDING]) await cluster.create(object);
  const rig = await startHub({ topics: TOPICS, clock, auth: { cluster } });
  return { rig, clock, cluster, stop: () => embedded[Symbol.asyncDispose]() };
}

async function open(rig: HubRig, topics: readonly string[]): Promise<Seen> {
  const browser = rig.connect();
  for (const topic of topics) expect(await subscribe(browser, topic)).toMatchObject({ kind: 'snapshot' });
  return browser;
}

describe('a right that is withdrawn', () => {
  it.each([0, 1300, 2600, 3900])(
    '[issue 10, 1] ends within five seconds on the API, in lists and in open views, %i ms after they were looked at last; what is given again shows again',
    async (phaseMs) => {
      const { rig, clock, cluster, stop } = await startOnEmbedded();
      await using _rig = rig;
      const topics = ['application/shop/web', 'rollout/shop/web', 'applications'];
      const browsers = [await open(rig, topics), await open(rig, topics)];
      const session = await rig.auth.readSession(rig.cookie);
      const mayView = async () => {
        const act = { kind: 'view-topic', topic: { kind: 'application', ns: 'shop', name: 'web' } } as const;
        return rig.auth.authorise(session, act).then(
          () => true,
          () => false,
        );
      };
      await clock.sleep(phaseMs);
      expect(await mayView()).toBe(true);
      const from = clock.now();
      await cluster.delete(AT);
      await until('the API refuses', async () => !(await mayView()));
      expect(clock.now() - from).toBeLessThanOrEqual(LIMIT_MS);
      await until('every view is closed', () => browsers.every(({ resets }) => new Set(resets).size === topics.length));
      expect(clock.now() - from).toBeLessThanOrEqual(LIMIT_MS);
      for (const browser of browsers) expect(await subscribe(browser, 'application/shop/web')).toMatchObject({ kind: 'refused', code: 'forbidden' });
      await cluster.create(BINDING);
      await until('it shows again', async () => (await subscribe(browsers[0] as Seen, 'application/shop/web')).kind === 'snapshot');
      await stop();
    },
  );

  it('[issue 10, 1] is asked about every four seconds, once per person, verb, kind and namespace over all their tabs', async () => {
    const clock = new ManualClock();
    const topics = { ...TOPICS, 'application/shop/api': [row('api')] };
    await using rig = await startHub({ topics, clock });
    for (let tab = 0; tab < 4; tab++) await open(rig, ['inbox', 'application/shop/web', 'application/shop/api', 'applications']);
    const before = rig.cluster.asked.length;
    await clock.advance(ROUND_MS);
    await until('all is asked', () => rig.cluster.asked.length >= before + 2);
    const text = ({ verb, resource, namespace, name }: AskedRight) => `${verb} ${resource} ${namespace ?? '*'} ${name ?? '*'}`;
    expect(rig.cluster.asked.slice(before).map(text).sort()).toEqual(['get applications shop *', 'list applications * *']);
  });

  it('[issue 10, 1] ends with the groups that gave it, a minute after the cluster says so, and the session goes on with what is left', async () => {
    const tokens = { tok: { username: 'ada', groups: ['team', 'rollouts'] } };
    const may = ({ resource, groups }: AskedRight) => (resource === 'rolloutorchestrators' ? groups.includes('rollouts') : groups.includes('team'));
    const clock = new ManualClock();
    await using rig = await startHub({ topics: TOPICS, clock, rules: { tokens, may }, auth: { mode: 'token' }, token: 'tok' });
    const browser = await open(rig, ['inbox', 'rollout/shop/web']);
    tokens.tok = { username: 'ada', groups: ['team'] };
    await clock.advance(60_000 + ROUND_MS);
    await until('the view is closed', () => browser.resets.length > 0);
    expect(browser.resets).toEqual(['rollout/shop/web']);
    expect(browser.client.connected).toBe(true);
    expect(await rig.auth.readSession(rig.cookie)).toMatchObject({ groups: ['team'], person: { groups: ['team'], token: 'tok' } });
    expect(await subscribe(browser, 'rollout/shop/web')).toMatchObject({ kind: 'refused', code: 'forbidden' });
  });
});
