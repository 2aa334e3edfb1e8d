import type { Fields } from '@/lib/kube/fields';
import { isFields, readField } from '@/lib/kube/fields';
import type { HelmStatus } from '@/server/chartsync/model/release';
import { Harness } from '../../cases/chartsync/harness';
import type { Fault, World } from '../../cases/chartsync/world';

export const CHART = { templates: [['templates/all.yaml', 'A']] as [string, string][] };

/** What a status says of an attempt that nobody told of. */
export function attemptOf(generation: number, after: number, before: Fields = {}): Fields {
  const found = after === 0 ? { action: 'install' } : { action: 'upgrade', deployed: after };
  return { lastAttempt: { generation, after, found: { release: 'pay/pay-ledger', after, ...found, ...before } } };
}

/** An attempt whose process told how it ended. */
export function attemptTold(generation: number): Fields {
  return { lastAttempt: { generation } };
}

/** What there is of a HelmRelease whose attempt ended with its server, after two that failed had been told. */
export interface Left {
  readonly generation?: number;
  readonly attempt?: Fields;
  readonly status?: Fields;
  readonly spec?: Fields;
  /** What Helm has stored by now, oldest first: of each its replicas, and how Helm describes it. */
  readonly stored?: readonly (readonly [number, HelmStatus, number?, string?])[];
  readonly faults?: readonly Fault[];
  readonly isMarked?: boolean;
}

function failedWorld({
  generation = 2,
  attempt = attemptOf(2, 2),
  status = {},
  spec: more = {},
  stored = [[3, 'failed']],
  faults = [],
  isMarked = true,
}: Left): World {
  const spec = { chart: { git: 'repo', ref: 'main', path: 'charts/ledger' }, values: { replicas: 3 }, ...more };
  const told = { observedGeneration: 1, phase: 'Upgrading', lastAttemptedRevision: 'c1', lastAttemptedValues: { replicas: 3 } };
  const act = (revision: number) => (revision === 1 ? 'Release' : 'Upgrade');
  const revisions = stored.map(([revision, state, replicas = 3, description = `${act(revision)} "pay-ledger" failed: a hook failed`]) => ({
    revision,
    status: state,
    ...(state === 'failed' || description.startsWith('Rollback') ? { description } : {}),
    chartPath: 'charts/ledger',
    chart: CHART,
    values: { replicas },
  }));
  const all = { ...told, lastAct: { storedRevision: (stored[0]?.[0] ?? 1) - 1 }, ...attempt, ...status };
  return {
    git: { commits: [{ id: 'c1', charts: { 'charts/ledger': CHART } }] },
    cluster: {
      namespaces: ['pay'],
      resources: [{ kind: 'HelmRelease', namespace: 'pay', name: 'ledger', generation, spec, status: all }],
      helm: [{ namespace: 'pay', name: 'pay-ledger', ...(isMarked ? { antecedent: 'pay:helmrelease/ledger' } : {}), revisions }],
    },
    faults,
  };
}

/** An engine before it has looked at what was left, what it does then with Helm, and what the status says. */
export async function playing(left: Left, otherwise: ConstructorParameters<typeof Harness>[1] = {}) {
  const harness = new Harness({ given: failedWorld(left) }, otherwise);
  await harness.prepare();
  const done = () =>
    harness.actions
      .map(({ do: act }) => act)
      .filter((act) => ['dryRun', 'install', 'upgrade', 'test', 'uninstall', 'rollback'].includes(act));
  const status = (...path: string[]) => readField(harness.resources.get('pay/ledger')?.status, ...path);
  const conditions = () => [status('conditions')].flat().map((one) => (isFields(one) ? `${one.type} ${one.status}` : ''));
  return { harness, done, status, conditions };
}
