import type { DriftAnswer, DriftRepair, ObjectDrift } from '@/lib/contract/drift-rows';
import type { KubeObject } from '@/lib/kube/object';
import type { DesiredObject, ManifestPolicy } from '@/server/dispatch';
import { apply } from '@/server/dispatch';
import { FakeApiServer } from '../../support/dispatch-server';
import type { FakeRules } from '../auth/fake-cluster';
import type { CommandRig } from './rig';
import { anApplication, CANARY, createCommandRig } from './rig';

const TRACKER = { name: 'web-v1-shop', uid: 'tracker-uid' };
export const NOT_LISTED = 'web-v1 does not include Deployment other in shop';
export const SOON: DriftRepair = { when: 'soon', why: 'The engine puts it back.' };
export const deployment: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', labels: { tier: 'front' } },
  spec: {
    replicas: 2,
    template: {
      spec: {
        containers: [
          { name: 'web', image: 'web:1', args: ['--a', '--b'] },
          { name: 'log', image: 'log:1' },
        ],
      },
    },
  },
};
export const secret: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'key', namespace: 'shop' },
  stringData: { key: CANARY, other: `${CANARY}-other` },
};
export const AT = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
export const KEY = { apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'key' };

/** The manifest as the dispatch applied it, then changed by somebody. */
export async function liveOf(manifest: KubeObject, edit: (live: KubeObject) => KubeObject): Promise<KubeObject> {
  const owner = { apiVersion: 'core.oam.dev/v1beta1', kind: 'ResourceTracker', ...TRACKER, controller: true, blockOwnerDeletion: true };
  const server = new FakeApiServer();
  const { object } = await apply(
    server,
    { ...manifest, metadata: { ...manifest.metadata, ownerReferences: [owner] } },
    { secretKey: 'a key' },
  );
  return edit(structuredClone(object));
}

export const setBy = (fieldsV1: object) => [
  { manager: 'kubectl-edit', operation: 'Update', time: '2026-01-01T08:00:00Z', fieldsType: 'FieldsV1', fieldsV1 },
];

export interface Bench {
  readonly manifest: KubeObject;
  readonly live: KubeObject | undefined;
  readonly policy?: ManifestPolicy;
  readonly repair?: DriftRepair;
  readonly rules?: FakeRules;
}

export async function open({ manifest, live, policy = {}, repair = SOON, rules = {} }: Bench): Promise<CommandRig> {
  const rig = await createCommandRig({
    objects: [anApplication({ annotations: { 'slipway.dev/requested-by': 'alice' } }), ...(live ? [live] : [])],
    ...rules,
  });
  const wanted: DesiredObject = { revision: 'web-v1', isApplied: true, manifest, tracker: TRACKER, policy, repair };
  rig.wanted = ({ name }) => (name === manifest.metadata.name ? wanted : { uncompared: NOT_LISTED });
  return rig;
}

export function compared(drift: DriftAnswer): ObjectDrift {
  if (drift.state !== 'compared') throw new Error(`a comparison was wanted, found: ${drift.why}`);
  return drift;
}

export const edited = () =>
  liveOf(deployment, (live) => ({
    ...live,
    metadata: { ...live.metadata, managedFields: setBy({ 'f:spec': { 'f:replicas': {} } }) },
    spec: { replicas: 5, template: { spec: { containers: [{ name: 'web', image: 'web:1', args: ['--a'] }] } } },
  }));
export const PATHS = ['spec.replicas', 'spec.template.spec.containers[name=web].args[1]', 'spec.template.spec.containers[name=log]'];
export const request = (seen: readonly string[]) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  ns: 'shop',
  name: 'web',
  seen: [...seen],
});
