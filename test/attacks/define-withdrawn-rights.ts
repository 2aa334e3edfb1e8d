import { describe, expect, it } from 'vitest';
import type { Keyed } from '@/lib/contract/live';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import { createRemoteCluster } from '@/server/kube';
import type { Clock } from '@/server/platform';
import { createRandom, realClock, systemIds } from '@/server/platform';
import type { HubRig, Seen } from '../server/realtime/rig';
import { startHub, subscribe } from '../server/realtime/rig';
import { createFastClock } from '../support/fast-clock';
import type { ClusterKind } from '../support/house';
import { silentLog } from '../support/silent-log';
import { until } from '../support/until';

const LIMIT_MS = 5000;
const SPEED = 10;
const RBAC = 'rbac.authorization.k8s.io';
const ROBOT = 'robot';

interface Place {
  readonly ns: string;
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly rig: HubRig;
  readonly stop: () => Promise<unknown>;
}

export const row = (key: string): Keyed => ({ key });

/** A browser that shows these topics. */
export async function openTopics(rig: HubRig, topics: readonly string[]): Promise<Seen> {
  const browser = rig.connect();
  for (const topic of topics) expect(await subscribe(browser, topic)).toMatchObject({ kind: 'snapshot' });
  return browser;
}

const topicsOf = (ns: string) => [`application/${ns}/web`, `rollout/${ns}/web`, 'applications'];

/** Whoever signs in may look at applications and rollouts of the namespace, by this binding. */
function bindingOf(ns: string, clusterKind: ClusterKind): KubeObject {
  const subject =
    clusterKind === 'embedded'
      ? { apiGroup: RBAC, kind: 'User', name: 'operator' }
      : { kind: 'ServiceAccount', namespace: ns, name: ROBOT };
  const roleRef = { apiGroup: RBAC, kind: 'Role', name: 'look' };
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    metadata: { name: 'look', namespace: ns },
    roleRef,
    subjects: [subject],
  } as KubeObject;
}

async function furnish(cluster: Cluster, ns: string, clusterKind: ClusterKind): Promise<void> {
  const rules = [{ apiGroups: ['core.oam.dev', 'serving.knative.dev'], resources: ['*'], verbs: ['get', 'list'] }];
  await cluster.create({ ...KINDS.namespace, metadata: { name: ns } });
  await cluster.create({ apiVersion: `${RBAC}/v1`, kind: 'Role', metadata: { name: 'look', namespace: ns }, rules } as KubeObject);
  await cluster.create(bindingOf(ns, clusterKind));
}

/** The hub over the simulator, both with a clock that runs faster. */
async function startEmbeddedPlace(): Promise<Place> {
  const { startEmbedded } = await import('@/server/embedded');
  const [ns, clock] = ['shop', createFastClock(SPEED)];
  const embedded = await startEmbedded({ clock, random: createRandom(3), ids: systemIds, log: silentLog, nodes: 0 });
  const { cluster } = embedded;
  await furnish(cluster, ns, 'embedded');
  const rig = await startHub({ topics: Object.fromEntries(topicsOf(ns).map((topic) => [topic, [row('web')]])), clock, auth: { cluster } });
  return { ns, cluster, clock, rig, stop: async () => embedded[Symbol.asyncDispose]() };
}

/** The hub over a real control plane, for a service account that signs in with its token. */
async function startRealPlace(): Promise<Place> {
  const cluster = createRemoteCluster({
    source: { kind: 'kubeconfig', path: process.env.KUBECONFIG ?? '' },
    clock: realClock,
    random: createRandom(3),
    log: silentLog,
  });
  const ns = `withdrawn-${systemIds.suffix(6)}`;
  await furnish(cluster, ns, 'real');
  await cluster.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: ROBOT, namespace: ns } });
  const body = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} });
  const path = `/api/v1/namespaces/${ns}/serviceaccounts/${ROBOT}/token`;
  const answer = await cluster.request({ method: 'POST', path, headers: { 'content-type': 'application/json' }, body });
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  const { status } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { status: { token: string } };
  const topics = Object.fromEntries(topicsOf(ns).map((topic) => [topic, [row('web')]]));
  const rig = await startHub({ topics, clock: realClock, auth: { cluster, mode: 'token' }, token: status.token });
  const stop = async () => {
    await cluster.delete({ ...KINDS.namespace, name: ns });
    await cluster[Symbol.asyncDispose]();
  };
  return { ns, cluster, clock: realClock, rig, stop };
}

/** How long a right outlives its binding, on the API and in open views. */
export function defineWithdrawnRights(clusterKind: ClusterKind): void {
  describe(`a right that is withdrawn on the ${clusterKind} cluster`, () => {
    it.each([0, 1300, 2600, 3900])(
      '[issue 10, 1] ends within five seconds on the API, in lists and in open views, %i ms after they were looked at last; what is given again shows again',
      async (phaseMs) => {
        const { ns, cluster, clock, rig, stop } = await (clusterKind === 'embedded' ? startEmbeddedPlace() : startRealPlace());
        await using _rig = rig;
        const topics = topicsOf(ns);
        const binding = bindingOf(ns, clusterKind);
        const session = await rig.auth.readSession(rig.cookie);
        const mayView = async () =>
          rig.auth.authorise(session, { kind: 'view-topic', topic: { kind: 'application', ns, name: 'web' } }).then(
            () => true,
            () => false,
          );
        await until('the right is there', mayView);
        const browsers = [await openTopics(rig, topics), await openTopics(rig, topics)];
        await clock.sleep(phaseMs);
        expect(await mayView()).toBe(true);
        const from = clock.now();
        await cluster.delete({ apiVersion: binding.apiVersion, kind: binding.kind, namespace: ns, name: 'look' });
        await until('the API refuses', async () => !(await mayView()));
        expect(clock.now() - from).toBeLessThanOrEqual(LIMIT_MS);
        await until('every view is closed', () => browsers.every(({ resets }) => new Set(resets).size === topics.length));
        expect(clock.now() - from).toBeLessThanOrEqual(LIMIT_MS);
        for (const browser of browsers)
          expect(await subscribe(browser, `application/${ns}/web`)).toMatchObject({ kind: 'refused', code: 'forbidden' });
        await cluster.create(binding);
        await until('it shows again', async () => (await subscribe(browsers[0] as Seen, `application/${ns}/web`)).kind === 'snapshot');
        await stop();
      },
    );
  });
}
