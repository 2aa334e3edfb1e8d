import { AppError } from '@/lib/contract/app-error';
import type { SavePreview } from '@/lib/contract/change-rows';
import type { DecisionRequest } from '@/lib/contract/requests';
import type { DecisionPreconditions, StageDecisionSpec } from '@/lib/contract/stage-decision';
import { KINDS, LABELS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { isRolledBackBy, rollbackTarget, rollbackWrite, rolledBackTo, writeWithAudit } from '@/server/application';
import type { Session } from '@/server/auth';
import { isConflict } from '@/server/kube';
import { evaluateRollback, rolloutDigest } from '@/server/rollout';
import type { CommandDeps } from './command-deps';
import { applicationAt, FIELD_MANAGER, readAs } from './command-deps';
import { refuseConflictingChange } from './conflicting-change';
import { permitContents } from './permit-contents';
import { previewChanges } from './preview-changes';

/** A rollback that has been tried without effect. */
interface PreparedRollback {
  /** What it does to every object, by the plan that the engine will compare with its own. */
  preview(): Promise<SavePreview>;
  /** What the decision names of it: exactly that is done, on the application as it was. */
  readonly seen: Pick<DecisionPreconditions, 'plan' | 'application'>;
  /** Carries it out for a person who has a token of their own, which the engine has not; for others the engine does. */
  carryOut(decision: string, spec: Omit<StageDecisionSpec, 'actor' | 'expiresAt'>): Promise<void>;
}

/**
 * Prepares going back: what ran in a revision is written into the Application again, which makes a new revision. The application's engine
 * does so as the person once the decision is there; whatever would keep it from that is told here, before there is one.
 */
export async function prepareRollback(
  deps: CommandDeps,
  session: Session,
  rollout: KubeObject,
  request: DecisionRequest,
): Promise<PreparedRollback> {
  if (request.seen?.rollout !== rolloutDigest(rollout)) {
    throw new AppError('stale', 'the rollout has changed since you opened it; review it and decide again');
  }
  const { namespace: ns = '', name = '' } = rollout.metadata;
  const place = { ns, name: rollout.metadata.labels?.[LABELS.appName] ?? name };
  await deps.auth.authorise(session, { kind: 'change-application', ...place });
  const held = await readAs(deps, session, applicationAt(place));
  const { base, plan, revision = '' } = request;
  if (base !== undefined && !isAt(held, base)) throw await refuseConflictingChange(deps, session, held, plan);
  const next = rolledBackTo(
    held,
    await readAs(deps, session, { ...KINDS.applicationRevision, namespace: ns, name: rollbackTarget(held, revision) }),
  );
  await permitContents(deps, session, next);
  await deps.cluster.as(session.person).update(next, { fieldManager: FIELD_MANAGER, dryRun: true });
  const { uid = '', generation = 1 } = held.metadata;
  return {
    preview: () => previewChanges(deps, session, { next, held, isForDecision: true }),
    seen: { ...(plan === undefined ? {} : { plan }), application: { uid, generation } },
    async carryOut(decision, told) {
      if (session.person.token === undefined) return;
      const verdict = evaluateRollback(
        { spec: { ...told, actor: { user: session.person.user, groups: [...session.person.groups] } }, rollout, isDone: false },
        deps.clock.now(),
      );
      if (verdict.phase !== 'Accepted') return; // the engine answers with the same
      const { cluster, clock, record } = deps;
      const writer = { by: session, cluster: cluster.as(session.person), fieldManager: FIELD_MANAGER, record, now: clock.now() };
      try {
        await writeWithAudit(writer, rollbackWrite(next, { decision, message: verdict.message, plan }));
      } catch (error) {
        // An engine that may act as the person was quicker.
        if (!isConflict(error) || !isRolledBackBy(await readAs(deps, session, applicationAt(place)), decision)) throw error;
      }
    },
  };
}

/** Whether an application is the one with the spec that somebody saw; what an engine wrote into status meanwhile does not matter. */
function isAt({ metadata }: KubeObject, seen: Pick<KubeObject['metadata'], 'uid' | 'generation'>): boolean {
  return metadata.uid === seen.uid && metadata.generation === seen.generation;
}
