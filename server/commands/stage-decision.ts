import { AppError } from '@/lib/contract/app-error';
import type { DecisionPreconditions, DecisionVerb, StageDecisionSpec } from '@/lib/contract/stage-decision';
import { verbIs } from '@/lib/contract/stage-decision';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject } from '@/lib/kube/object';
import { toInstant, toKubeTime } from '@/lib/std/instant';
import type { Session } from '@/server/auth';
import type { Accepted, CommandDeps, Place } from './command-deps';
import { FIELD_MANAGER, toAccepted } from './command-deps';

const LIFE_MS = 600_000;
/** Refuses a verb that rests on what was seen while that may be out of date. Stopping and pausing are never refused for that. */
export function requireFresh(verb: DecisionVerb, deps: CommandDeps, place: Place): void {
  const { stale } = deps.freshness(place);
  if (stale === null || !verbIs(verb, 'restsOnSeen')) return;
  throw new AppError('stale', `${verb} needs fresh data, and what you see is from ${stale.since}: ${stale.reason}`, {
    details: { since: stale.since },
  });
}

/** The reason, where a verb wants one. */
export function requireReason(verb: DecisionVerb, reason: string | undefined): void {
  if (verbIs(verb, 'wantsReason') && (reason ?? '') === '')
    throw new AppError('invalid', `${verb} needs a reason of a few words, found none`);
}

/** Refuses a decision about an object that has been replaced by another of its name. */
export function requireSame(object: KubeObject, uid: string): void {
  if (object.metadata.uid === uid) return;
  const what = describeObject({ kind: object.kind, ...object.metadata });
  throw new AppError('conflict', `${what} was deleted and created again after you opened it; review it again`);
}

type Decided = Omit<StageDecisionSpec, 'actor' | 'expiresAt' | 'seen'> & { readonly seen?: DecisionPreconditions | undefined };

/** Whoever is signed in, as a decision names who made it. */
export function toActor({ person: { user, groups } }: Session): StageDecisionSpec['actor'] {
  return { user, groups: [...groups] };
}

/** Writes a decision as the person; the actor is who is signed in, whatever the request said. */
export async function createDecision(deps: CommandDeps, session: Session, place: Place, told: Decided): Promise<Accepted> {
  const { installation } = deps;
  const engine = told.rolloutRef === undefined ? 'application' : 'rollout';
  const why =
    installation.stateOf(engine).why ?? installation.decisionsBlockedReason(told.verb) ?? notKeptReason(told, installation.dropped);
  // Nobody would answer, or nobody could tell what was decided: better no decision than one that waits for ever.
  if (why !== null) throw new AppError('unavailable', why);
  if (!verbIs(told.verb, 'needsNoRecord')) await deps.requireRecord();
  const spec: StageDecisionSpec = JSON.parse(
    JSON.stringify({ ...told, actor: toActor(session), expiresAt: toKubeTime(toInstant(deps.clock.now() + LIFE_MS)) }), // drops members that are not set
  );
  const decision: KubeObject = { ...KINDS.stageDecision, metadata: { generateName: `${place.name}-`, namespace: place.ns }, spec };
  return toAccepted(await deps.cluster.as(session.person).create(decision, { fieldManager: FIELD_MANAGER }));
}

/** Why the cluster would not keep this decision as it is. What others need, such as a verb that its definition does not know yet, is no reason. */
function notKeptReason({ verb, seen = {}, ...members }: Decided, dropped: CommandDeps['installation']['dropped']): string | null {
  const { kind } = KINDS.stageDecision;
  const fields = [...Object.keys(members), 'actor', 'expiresAt', ...Object.keys(seen).map((digest) => `seen.${digest}`)];
  return fields.reduce<string | null>((why, field) => why ?? dropped(kind, `spec.${field}`), dropped(kind, 'spec.verb', verb));
}
