import type { Fields } from '@/lib/kube/fields';
import { HELM_FINALIZER, KINDS, PLAN } from '@/lib/kube/kinds';
import type { TypeRef } from '@/lib/kube/object';
import { toInstant } from '@/lib/std/instant';
import { describeRelease } from '@/server/chartsync';
import type { ReleaseObservation } from '@/server/chartsync/describe/description';
import type { Reconcile } from '@/server/chartsync/describe/reconcile-history';
import { readDeclared } from '@/server/chartsync/model/declared';
import { toPlanText } from '@/server/kube';

export const NOW = toInstant(1_800_000_000_000);
export const COMMIT = 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00';
export const SPEC = { chart: { git: 'https://bot:s3cret@git.example.com/charts.git', ref: 'main', path: 'charts/web' } };

export interface Given {
  readonly type?: TypeRef;
  readonly spec?: Fields;
  readonly status?: Fields;
  readonly generation?: number;
  /** Digest of the plan that somebody saw of the spec. */
  readonly plan?: string;
  readonly seen?: Partial<ReleaseObservation>;
  /** Whether it is deleted and waits for the uninstall. */
  readonly isDeleted?: boolean;
}

export function tell({ type = KINDS.helmRelease, spec = SPEC, status = {}, generation = 1, plan, seen = {}, isDeleted = false }: Given) {
  const annotations = plan === undefined ? {} : { [PLAN.seen]: toPlanText(spec, { digest: plan, act: 'a' }) };
  const deleted = isDeleted ? { deletionTimestamp: '2027-01-15T08:00:00Z', finalizers: [HELM_FINALIZER] } : {};
  const metadata = { namespace: 'shop', name: 'web', generation, annotations, ...deleted };
  const resource = readDeclared({ ...type, metadata, spec, status });
  return describeRelease(
    {
      resource,
      uid: 'u',
      holder: undefined,
      heir: undefined,
      hold: undefined,
      newest: undefined,
      revisions: undefined,
      drift: undefined,
      nextFetchAt: undefined,
      work: undefined,
      running: [],
      gate: undefined,
      approvers: [],
      webhook: undefined,
      reconciles: [],
      loops: RUNNING,
      standing: null,
      account: null,
      ...seen,
    },
    NOW,
  );
}

export const look = (outcome: Reconcile['outcome'], more: Partial<Reconcile> = {}): Reconcile => ({
  at: NOW,
  since: NOW,
  times: 1,
  by: 'schedule',
  outcome,
  revision: COMMIT,
  rule: undefined,
  error: undefined,
  ...more,
});
export const SEEN = `sha256:${'a'.repeat(64)}`;
export const moved = (seen: string) => look('plan-moved', { error: 'it is not what was previewed', seen });
export const failed = look('failed', { error: 'timed out', by: 'commit' });
export const released = (more: Fields = {}) => ({
  phase: 'Succeeded',
  observedGeneration: 1,
  releaseStatus: 'deployed',
  lastAttemptedRevision: COMMIT,
  ...more,
});
export const condition = (type: string, message: string) => ({
  conditions: [{ type, status: type === 'Drifted' ? 'True' : 'False', reason: 'R', message }],
});
export const LACKS = { kind: 'waiting', why: 'helm was not found', remedy: 'npm run helm' } as const;
export const RUNNING = { kind: 'running', since: toInstant(NOW - 60_000), baseWaits: null, nextPassAt: toInstant(NOW + 60_000) } as const;
export const upgraded = { releaseStatus: 'DEPLOYED', lastAct: { at: '2027-01-15T08:00:00Z', outcome: 'upgraded', revision: COMMIT } };
export const base = { type: KINDS.fluxHelmRelease, spec: { chartGitPath: 'web', values: {} } };

export const uninstall = {
  command: 'uninstall',
  purpose: 'change',
  since: NOW,
  isWaiting: false,
  until: null,
  killedBy: null,
  isInherited: false,
  line: null,
} as const;
export const OUT = { since: '2027-01-15T08:00:00Z', message: 'it is out' };
