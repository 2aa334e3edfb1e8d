import { AppError } from '@/lib/contract/app-error';
import type { SavePreview } from '@/lib/contract/change-rows';
import type { DecisionRequest } from '@/lib/contract/requests';
import { verbIs } from '@/lib/contract/stage-decision';
import type { Session } from '@/server/auth';
import { countedAlreadyReason, lostPolicyReason } from '@/server/rollout';
import type { Accepted, CommandDeps, Place } from './command-deps';
import { readAs, requireEngine, rolloutAt } from './command-deps';
import { keepConsequences } from './record/keep-consequences';
import { prepareRollback } from './roll-back';
import { createDecision, requireFresh, requireReason, requireSame, toActor } from './stage-decision';

/** Decides about a rollout: a StageDecision is written as the person, and the rollout judges it. Of a rollback it tells as well what it would do. */
export async function decide(deps: CommandDeps, session: Session, place: Place, request: DecisionRequest): Promise<Accepted | SavePreview> {
  const { verb, stage, revision, reason, seen, uid, dryRun = false } = request;
  await deps.auth.authorise(session, { kind: 'decide', on: 'rollout', verb, ...place });
  if (!dryRun) requireReason(verb, reason);
  requireComplete(request);
  requireFresh(verb, deps, place);
  const rollout = await readAs(deps, session, rolloutAt(place));
  requireSame(rollout, uid);
  const lost = lostPolicyReason(rollout, deps.installation.dropped);
  if (lost !== null) throw new AppError('unavailable', lost);
  const told = { rolloutRef: { name: place.name, uid }, verb, stage, revision, reason, seen };
  const counted = countedAlreadyReason({ ...told, actor: toActor(session) }, rollout, deps.clock.now());
  if (counted !== undefined) throw new AppError('conflict', counted);
  const keep = keepConsequences(deps, session, { place, request });
  if (verb !== 'rollback') return keep(await createDecision(deps, session, place, withoutGaps(told)));
  requireEngine(deps, 'application');
  const rollback = await prepareRollback(deps, session, rollout, request);
  if (dryRun) return rollback.preview();
  const spec = withoutGaps({ ...told, seen: { ...seen, ...rollback.seen } });
  const accepted = keep(await createDecision(deps, session, place, spec));
  await rollback.carryOut(accepted.accepted.uid ?? '', spec);
  return accepted;
}

/** A decision that does not say what it is about would be rejected a moment later; say so now. */
function requireComplete({ verb, stage, revision, seen, dryRun, plan, base }: DecisionRequest): void {
  if (verb !== 'rollback' && [dryRun, plan, base].some((member) => member !== undefined))
    throw new AppError('invalid', `only a rollback changes the application and so has a plan; ${verb} accepts no dryRun, plan or base`);
  if (verbIs(verb, 'namesStage') && stage === undefined)
    throw new AppError('invalid', `${verb} needs the stage that it is about, found none`);
  if (revision === undefined) throw new AppError('invalid', `${verb} needs the revision that it is about, found none`);
  if (verb === 'loosen' && seen?.policy === undefined)
    throw new AppError('invalid', 'loosen needs the digest of the policy as it was seen, found none');
  if (verbIs(verb, 'restsOnSeen') && seen?.rollout === undefined) {
    throw new AppError('invalid', `${verb} needs the digest of the rollout as it was seen, found none`);
  }
}

type Gapless<Fields> = { [Member in keyof Fields]: Exclude<Fields[Member], undefined> };

function withoutGaps<Fields extends object>(fields: Fields): Gapless<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Gapless<Fields>;
}
