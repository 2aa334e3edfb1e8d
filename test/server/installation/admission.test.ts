import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject, toAddress } from '@/lib/kube/object';
import type { Installation } from '@/server/installation';
import { readManifests, watchInstallation } from '@/server/installation';
import type { Cluster, Store, WatchEvent } from '@/server/kube';
import { KubeTransportError } from '@/server/kube';
import { ManualClock } from '@/test/support/manual-clock';
import { aController } from '../../support/applications';
import { silentLog } from '../../support/silent-log';
import { createFakeCluster } from '../auth/fake-cluster';

const LOOK_MS = 15_000;
const KNATIVE = aController('progressive-rollout', 'registry.example.com/serving-progressive-rollout:1');
const NO_DEPLOYMENTS = { health: () => ({ state: { kind: 'watching' } }), list: () => [] } as unknown as Store; // nothing else is asked of it

describe('what ties a decision to the person who makes it', () => {
  let clock: ManualClock;
  let ending: AbortController;
  let policies: readonly KubeObject[];
  beforeEach(async () => {
    clock = new ManualClock();
    ending = new AbortController();
    policies = (await readManifests('deploy')).filter(({ kind }) => kind.startsWith('ValidatingAdmissionPolicy'));
  });
  afterEach(() => ending.abort());

  const watch = (cluster: Cluster): Promise<Installation> =>
    watchInstallation({
      cluster,
      deployments: NO_DEPLOYMENTS,
      deployed: policies,
      needsPolicies: true,
      clock,
      log: silentLog,
      signal: ending.signal,
      untrustedFields: {},
    });
  const nameOf = ({ kind, metadata }: KubeObject) => describeObject({ kind, name: metadata.name });
  /** A cluster in which objects are others than they were made, or gone. */
  const changed = (to: (object: KubeObject) => KubeObject | undefined): Cluster =>
    createFakeCluster({ objects: policies.flatMap((object) => to(object) ?? []) });
  const without = (gone: KubeObject) => changed((object) => (object === gone ? undefined : object));

  it('[issue 9, 6] is complete where every policy and binding of the deployment is there', async () => {
    expect(policies.length).toBeGreaterThan(3);
    const installation = await watch(createFakeCluster({ objects: policies }));
    expect(installation.decisionsBlockedReason()).toBeNull();
    expect(installation.findings()).toEqual([]);
  });

  it('[issue 9, 6] is missed from the first moment, whichever of its objects is not there, and both the answer and the finding name it', async () => {
    for (const gone of policies.filter(({ metadata }) => metadata.name !== 'values.slipway.dev')) {
      const installation = await watch(without(gone));
      const remedy =
        gone.metadata.name === 'rollouts.slipway.dev'
          ? 'kubectl apply -f deploy/admission-rollouts.yaml'
          : 'kubectl apply -f deploy/admission.yaml';
      expect(installation.decisionsBlockedReason()?.endsWith(`; ${remedy} fixes it`)).toBe(true);
      expect(installation.decisionsBlockedReason()).toContain(nameOf(gone));
      expect(installation.findings()).toMatchObject([{ area: 'policies', sentence: expect.stringContaining(nameOf(gone)), remedy }]);
      expect(installation.findings()[0]?.sentence).not.toContain('kubectl');
    }
  });

  it('[issue 10, 1] bars nobody where what only warns is not there; the doctor tells it', async () => {
    const warning = policies.filter(({ metadata }) => metadata.name === 'values.slipway.dev');
    expect(warning).toHaveLength(2);
    for (const gone of warning) {
      const installation = await watch(without(gone));
      expect([installation.decisionsBlockedReason(), installation.findings()]).toEqual([null, []]);
      const remedy = 'kubectl apply -f deploy/admission-values.yaml';
      const finding = { area: 'policies', subject: nameOf(gone), sentence: expect.stringContaining('cause no warning'), remedy };
      expect(await installation.examine(new AbortController().signal)).toContainEqual(finding);
    }
  });

  it('[issue 9, 6] is missed soon after somebody takes it away, and back soon after it was applied again', async () => {
    const cluster = createFakeCluster({ objects: policies });
    const installation = await watch(cluster);
    const [policy] = policies;
    if (policy === undefined) throw new Error('no policy is deployed');
    await cluster.delete(toAddress(policy));
    await clock.advance(LOOK_MS);
    expect(installation.decisionsBlockedReason()).toContain(nameOf(policy));
    await cluster.create(policy);
    await clock.advance(LOOK_MS);
    expect(installation.decisionsBlockedReason()).toBeNull();
  });

  it('[issue 10.2] is missed also where its watch stays open and says nothing more, as behind a proxy, and such a watch is given up and begun again', async () => {
    let opened = 0;
    const dead = async function* (_of: unknown, signal: AbortSignal | undefined): AsyncGenerator<WatchEvent> {
      opened++;
      await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));
    };
    const cluster = createFakeCluster({ objects: policies, watch: dead });
    const installation = await watch(cluster);
    const [policy] = policies;
    if (policy === undefined) throw new Error('no policy is deployed');
    await clock.advance(LOOK_MS);
    const first = opened;
    await cluster.delete(toAddress(policy));
    await clock.advance(160_000);
    expect(installation.decisionsBlockedReason()).toContain(nameOf(policy));
    expect(opened).toBe(2 * first);
    await cluster.create(policy);
    await clock.advance(160_000);
    expect(installation.decisionsBlockedReason()).toBeNull();
  });

  it('[issue 9, 6] counts as missing while the cluster cannot be asked', async () => {
    const cluster = createFakeCluster({ objects: policies });
    // biome-ignore lint/correctness/useYield: it fails at once
    const list = async function* (): AsyncGenerator<never> {
      throw new KubeTransportError('connect ECONNREFUSED');
    };
    const silent: Cluster = { ...cluster, list };
    expect((await watch(silent)).decisionsBlockedReason()).not.toBeNull();
  });

  const isPolicy = ({ kind }: KubeObject) => kind === 'ValidatingAdmissionPolicy';
  const WEAKENED: Readonly<Record<string, [(object: KubeObject) => boolean, (spec: Record<string, unknown>) => unknown, string]>> = {
    'a policy that fails open': [
      (object) => isPolicy(object) && object.metadata.name === 'stagedecisions.slipway.dev',
      (spec) => ({ ...spec, failurePolicy: 'Ignore' }),
      'spec.failurePolicy needs "Fail", found "Ignore"',
    ],
    'a check fewer': [
      (object) => isPolicy(object) && object.metadata.name === 'engines.slipway.dev',
      (spec) => ({ ...spec, validations: [] }),
      'spec.validations needs 3 entries, found 0',
    ],
    'a binding that only warns': [
      ({ kind, metadata }) => kind === 'ValidatingAdmissionPolicyBinding' && metadata.name === 'rollouts.slipway.dev',
      (spec) => ({ ...spec, validationActions: ['Warn'] }),
      'spec.validationActions[0] needs "Deny", found "Warn"',
    ],
    'a policy of namespaces with a label only': [
      (object) => isPolicy(object) && object.metadata.name === 'rollouts.slipway.dev',
      (spec) => ({
        ...spec,
        matchConstraints: { ...(spec.matchConstraints as object), namespaceSelector: { matchLabels: { any: 'one' } } },
      }),
      'spec.matchConstraints.namespaceSelector.matchLabels needs nothing, found {"any":"one"}',
    ],
    'a stricter one, which nobody can tell from a weaker one': [
      (object) => isPolicy(object) && object.metadata.name === 'engines.slipway.dev',
      (spec) => ({ ...spec, validations: [...(spec.validations as object[]), { expression: 'false' }] }),
      'spec.validations needs 3 entries, found 4',
    ],
  };

  it.each(Object.entries(WEAKENED))(
    '[issue 10, 2] lets nothing past a gate with %s, says what differs, and lets people stop',
    async (_what, [isOne, to, difference]) => {
      const installation = await watch(
        changed((object) => (isOne(object) ? { ...object, spec: to(object.spec as Record<string, unknown>) } : object)), // a policy has a spec
      );
      for (const verb of ['approve', 'advance', 'promote-full', 'loosen'] as const)
        expect(installation.decisionsBlockedReason(verb)).toContain(difference);
      for (const verb of ['pause', 'resume', 'abort'] as const) expect(installation.decisionsBlockedReason(verb)).toBeNull();
      expect(installation.decisionsBlockedReason(), 'a note proves nothing either').toContain(difference);
      expect(installation.findings()).toMatchObject([{ area: 'policies', sentence: expect.stringContaining(difference) }]);
    },
  );

  it('[issue 10, 2] counts notes that are made otherwise as different too, and misses none that are not made', async () => {
    const all = (await readManifests('deploy')).filter(({ apiVersion }) => apiVersion.startsWith('admissionregistration'));
    const [note] = all.filter(({ kind }) => kind === 'MutatingAdmissionPolicy');
    policies = all;
    const other = await watch(
      changed((object) => (object === note ? { ...object, spec: { ...(object.spec as object), failurePolicy: 'Ignore' } } : object)),
    );
    expect(other.decisionsBlockedReason('approve')).toContain('spec.failurePolicy');
    policies = all;
    const none = await watch(changed((object) => (object.kind.startsWith('Mutating') ? undefined : object)));
    expect(none.decisionsBlockedReason('approve')).toBeNull();
  });

  it('[issue 10, 2] hears of a change at once, and of its end', async () => {
    const cluster = createFakeCluster({ objects: policies });
    const told: ((event: WatchEvent) => void)[] = [];
    const next = () => new Promise<WatchEvent>((resolve) => told.push(resolve));
    const installation = await watch({
      ...cluster,
      async *watch({ kind }) {
        if (kind !== 'ValidatingAdmissionPolicy') await new Promise(() => undefined);
        for (;;) yield await next();
      },
    });
    const policy = policies.find(isPolicy);
    if (policy === undefined) throw new Error('no policy is deployed');
    const tell = async (type: WatchEvent['type'], object: KubeObject) => {
      await clock.settle();
      told.shift()?.({ type, object });
      await clock.settle();
    };
    await tell('MODIFIED', { ...policy, spec: { ...(policy.spec as object), failurePolicy: 'Ignore' } });
    expect(installation.decisionsBlockedReason('approve')).toContain('spec.failurePolicy');
    await tell('DELETED', policy);
    expect(installation.decisionsBlockedReason('abort')).toContain('is missing');
    await tell('ADDED', policy);
    expect(installation.decisionsBlockedReason('approve')).toBeNull();
  });

  it('[issue 10, 2] leaves rollouts to the controller that drives them, and says what is in its way', async () => {
    const driven = { health: () => ({ state: { kind: 'watching' } }), list: () => [KNATIVE] } as unknown as Store; // nothing else is asked of it
    const watchDriven = (cluster: Cluster) =>
      watchInstallation({
        cluster,
        deployments: driven,
        deployed: policies,
        needsPolicies: true,
        clock,
        log: silentLog,
        signal: ending.signal,
        untrustedFields: {},
      });
    const isGuard = ({ metadata }: KubeObject) => metadata.name === 'rollouts.slipway.dev';
    expect((await watchDriven(changed((object) => (isGuard(object) ? undefined : object)))).decisionsBlockedReason()).toBeNull();
    const inTheWay = (await watchDriven(changed((object) => object))).findings().filter(({ area }) => area === 'policies');
    expect(inTheWay).toMatchObject([
      { subject: 'ValidatingAdmissionPolicyBinding rollouts.slipway.dev', remedy: 'kubectl delete -f deploy/admission-rollouts.yaml' },
    ]);
  });
});
