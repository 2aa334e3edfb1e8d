import { AppError } from '@/lib/contract/app-error';
import type { ReleaseDecisionRequest, ReleaseDecisionSpec } from '@/lib/contract/release-decision';
import { REASONED_VERBS, RELEASE_VERBS } from '@/lib/contract/release-decision';
import type { ReleaseKindName } from '@/lib/contract/release-kind';
import { RELEASE_TYPES, toReleaseKindRef } from '@/lib/contract/release-kind';
import type { ReleaseRights } from '@/lib/contract/release-rows';
import { KINDS } from '@/lib/kube/kinds';
import { toInstant, toKubeTime } from '@/lib/std/instant';
import type { Session } from '@/server/auth';
import type { Accepted, CommandDeps, Place } from './command-deps';
import { FIELD_MANAGER, readAs, toAccepted } from './command-deps';
import { refusalReason } from './read-rights';
import { requireSame, toActor } from './stage-decision';

/** How long a decision counts that nobody answers. */
export const DECISION_LIFE_MS = 600_000;

/** Decides about a Helm release: a ReleaseDecision is written as the person, and chart sync judges it. */
export async function decideRelease(deps: CommandDeps, session: Session, place: Place, request: ReleaseDecisionRequest): Promise<Accepted> {
  const { kind, verb, uid, revision, commit, digest, reason, seen } = request;
  await deps.auth.authorise(session, { kind: 'decide-release', of: kind, verb, ...place });
  requireComplete(request);
  const { stale } = deps.freshness(place);
  const isStopping = verb === 'hold' || verb === 'cancel';
  if (stale !== null && !isStopping)
    throw new AppError('stale', `${verb} needs fresh data, and what you see is from ${stale.since}: ${stale.reason}`);
  const type = RELEASE_TYPES[kind];
  requireSame(await readAs(deps, session, { ...type, namespace: place.ns, name: place.name }), uid);
  const { installation } = deps;
  const ref = toReleaseKindRef(type);
  const why =
    installation.stateOf('chartsync').why ??
    installation.decisionsBlockedReason() ??
    installation.dropped(KINDS.releaseDecision.kind, 'spec.verb', verb) ??
    // Without its group a decision would be about the other kind of that name.
    (ref.group === undefined ? null : installation.dropped(KINDS.releaseDecision.kind, 'spec.releaseRef.group', ref.group));
  // Nobody would answer, or nobody could tell who decided: better no decision than one that waits for ever.
  if (why !== null) throw new AppError('unavailable', why);
  if (!isStopping) await deps.requireRecord(); // what stops is never refused for that
  const actor = toActor(session);
  const counted = deps.countedAlreadyReason({ kind, ...place }, { verb, commit, digest, seen, actor });
  if (counted !== null) throw new AppError('conflict', counted);
  const spec: ReleaseDecisionSpec = {
    releaseRef: { ...ref, name: place.name, uid },
    verb,
    actor,
    expiresAt: toKubeTime(toInstant(deps.clock.now() + DECISION_LIFE_MS)),
    ...(revision === undefined ? {} : { revision }),
    ...(commit === undefined ? {} : { commit }),
    ...(digest === undefined ? {} : { digest }),
    ...(reason ? { reason } : {}),
    ...(seen === undefined ? {} : { seen }),
  };
  const decision = { ...KINDS.releaseDecision, metadata: { generateName: `${place.name}-`, namespace: place.ns }, spec };
  return toAccepted(await deps.cluster.as(session.person).create(decision, { fieldManager: FIELD_MANAGER }));
}

/** What a person may decide about a release, verb by verb: null, or the sentence why not. */
export async function readReleaseRights(
  deps: CommandDeps,
  session: Session,
  { kind, ...place }: Place & { readonly kind: ReleaseKindName },
): Promise<ReleaseRights> {
  const entries = RELEASE_VERBS.map(async (verb) => {
    const lacked = await refusalReason(deps, session, [{ kind: 'decide-release', of: kind, verb, ...place }]);
    const isByGate = verb === 'approve' || verb === 'loosen';
    return [verb, lacked ?? (isByGate ? deps.notCountedReason({ kind, ...place }, verb, session.person) : null)] as const;
  });
  const edit = await refusalReason(deps, session, [{ kind: 'change-release', of: kind, ...place }]);
  const uninstall = await refusalReason(deps, session, [{ kind: 'delete-release', of: kind, ...place }]);
  return { ...Object.fromEntries(await Promise.all(entries)), edit, uninstall } as ReleaseRights; // one entry per verb of the list
}

/** A decision that does not say what it is about would be rejected a moment later; say so now. */
function requireComplete({ verb, revision, commit, digest, reason, seen }: ReleaseDecisionRequest): void {
  if (REASONED_VERBS.includes(verb) && (reason ?? '') === '')
    throw new AppError('invalid', `${verb} needs a reason of a few words, found none`);
  if (verb === 'rollback' && revision === undefined)
    throw new AppError('invalid', 'rollback needs the stored revision to roll back to, found none');
  if (verb === 'rollback' && seen?.stored === undefined)
    throw new AppError('invalid', 'rollback needs the newest stored revision as it was seen, found none');
  if (verb === 'approve' && (commit === undefined) === (digest === undefined))
    throw new AppError(
      'invalid',
      `approve needs the commit or the archive that the release goes to, found ${commit === undefined ? 'neither' : 'both'}`,
    );
  if (verb === 'approve' && seen?.chart === undefined)
    throw new AppError('invalid', 'approve needs the chart of the commit or the version of the archive as it was seen, found neither');
  if (verb === 'loosen' && seen?.gate === undefined)
    throw new AppError('invalid', 'loosen needs what is in force and what would be as it was seen, found neither');
  if (verb === 'unlock' && seen?.stored === undefined)
    throw new AppError('invalid', 'unlock needs the pending revision as it was seen, found none');
  if (verb === 'lift' && seen?.hold === undefined)
    throw new AppError('invalid', 'lift needs the decision that holds the release as it was seen, found none');
}
