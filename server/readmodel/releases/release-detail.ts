import { REASONED_VERBS, releaseDecisionSpec } from '@/lib/contract/release-decision';
import type { ReconcileView, ReleaseDecisionView, ReleaseDetail } from '@/lib/contract/release-rows';
import { DECISION_PHASES } from '@/lib/contract/stage-decision';
import type { EngineMode } from '@/lib/contract/system-rows';
import { toOldEngineMode } from '@/lib/contract/system-rows';
import { readField, readString } from '@/lib/kube/fields';
import { describeResource, nameOfKind } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toIso } from '@/lib/std/instant';
import { formatReconcile } from '@/lib/words/format-reconcile';
import { formatRelease, TRIGGER_WORDS } from '@/lib/words/format-release';
import { queueOf } from '@/server/chartsync';
import { capitalise } from '../capitalise';
import type { Journal } from '../system/journal';
import type { DescribedRelease, Releases } from './describe';
import { toReleaseRow } from './release-row';

const MAX_TIMELINE = 100;
const MAX_DECISIONS = 50;

interface ReleaseDetailDeps {
  readonly journal: Pick<Journal, 'about'>;
  readonly engine: EngineMode;
  readonly releases: Pick<Releases, 'decisionsAbout'>;
}

/** Everything the page of one release shows but what stands in Helm's storage, which is read when somebody looks. */
export function toReleaseDetail(seen: DescribedRelease, { journal, engine, releases }: ReleaseDetailDeps): ReleaseDetail {
  const { object, told } = seen;
  const row = toReleaseRow(seen);
  const reconciles = told.reconciles.map(toReconcileView);
  const names = [row.name, row.release.name, told.hold?.by]; // spelled as they are
  const outdatedPlan = told.outdatedPlan === null ? null : capitalise(told.outdatedPlan, names);
  return {
    ...row,
    kind: seen.kind,
    uid: told.uid,
    generation: told.generation,
    apiVersion: object.apiVersion,
    deleting: object.metadata.deletionTimestamp !== undefined,
    engine,
    standing: toOldEngineMode(engine),
    onlyAttempted: told.onlyAttempted,
    stored: told.stored,
    storedRevision: told.storedRevision,
    origin: told.origin,
    actsAs: told.actsAs,
    upgrade: capitalise(formatRelease(told.upgrade), names),
    outdatedPlan,
    planMoved: outdatedPlan,
    hold: told.hold,
    keptBy: told.heir === null ? null : describeResource(told.heir),
    webhook: told.webhook === null ? null : { path: `/api/v1/hooks/git/${told.webhook.id}`, secret: told.webhook.secret },
    gate: toGate(told),
    work: toWork(told.work),
    actions: told.acts.map(({ verb, why, consequences }) => ({
      verb,
      why: why === null ? null : capitalise(formatRelease(why), names),
      consequences: consequences.map(formatRelease),
      needsReason: REASONED_VERBS.includes(verb),
    })),
    decisions: releases
      .decisionsAbout(object)
      .flatMap((decision) => toDecision(decision, told.work))
      .sort(newestFirst)
      .slice(0, MAX_DECISIONS),
    conditions: [...told.conditions],
    reconciles,
    looks: reconciles,
    timeline: journal
      .about(row.ns, row.name)
      .filter(({ kind, action }) => kind === nameOfKind(object) && !action.startsWith('flux.')) // HelmReleases of Flux share the name of the kind
      .slice(0, MAX_TIMELINE)
      .map(({ key, at, actor, action, message }) => ({ key, at, actor, action, message })),
  };
}

function toGate({ gate, origin }: Pick<DescribedRelease['told'], 'gate' | 'origin'>): ReleaseDetail['gate'] {
  if (gate === null) return null;
  const of = origin.kind === 'git' ? 'commit' : 'archive';
  const demands = ({ required, groups }: Pick<NonNullable<typeof gate>, 'required' | 'groups'>) =>
    capitalise(formatRelease({ id: 'gate.demands', of, required, groups }));
  const told = { sentence: demands(gate), given: formatRelease(gate.given), looser: gate.wanted == null ? null : demands(gate.wanted) };
  const approvers = [...gate.approvers];
  return { ...gate, approvers, supporters: approvers, ...told };
}

function toWork(work: DescribedRelease['told']['work']): ReleaseDetail['work'] {
  if (work === null) return null;
  if (work === 'elsewhere') return { kind: 'elsewhere' };
  const { command, isWaiting, since, until, killedBy, isInherited, line } = work;
  return {
    kind: 'here',
    command,
    isWaiting,
    since: toIso(since),
    until: until === null ? null : toIso(until),
    killedBy,
    isInherited,
    line,
  };
}

const newestFirst = (a: ReleaseDecisionView, b: ReleaseDecisionView) =>
  a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0;

/** One that must be alone on the release is not answered before Helm has ended. */
function toDecision(decision: KubeObject, work: DescribedRelease['told']['work']): readonly ReleaseDecisionView[] {
  const spec = releaseDecisionSpec.safeParse(readField(decision, 'spec'));
  if (!spec.success) return [];
  const { verb, actor, revision = null, commit = null, digest = null, reason = null, seen } = spec.data;
  const phase = DECISION_PHASES.find((known) => known === readString(decision, 'status', 'phase')) ?? 'Pending';
  const { uid = '', creationTimestamp: createdAt = '' } = decision.metadata;
  const isBehindHelm =
    phase === 'Pending' && queueOf(decision) === 'lasting' && work !== null && work !== 'elsewhere' && work.until === null;
  return [
    {
      key: uid,
      verb,
      user: actor.user,
      revision,
      commit,
      digest,
      ...(seen?.chart === undefined ? {} : { chart: seen.chart }),
      reason,
      phase,
      message: readString(decision, 'status', 'message') ?? (isBehindHelm ? formatRelease({ id: 'decided.waits-for-helm' }) : ''),
      createdAt,
    },
  ];
}

function toReconcileView({
  at,
  since,
  times,
  by,
  outcome,
  revision,
  rule,
  error,
  putBack,
}: DescribedRelease['told']['reconciles'][number]): ReconcileView {
  const said = formatReconcile({ rule: rule ?? null, outcome });
  const why = putBack === undefined ? said : [said, putBack].join(': ');
  const evidence = { revision: revision ?? null, rule: rule ?? null, why: why === null ? null : capitalise(why), error: error ?? null };
  return { key: `${since} ${by} ${outcome}`, at: toIso(at), since: toIso(since), times, by: TRIGGER_WORDS[by], outcome, ...evidence };
}
