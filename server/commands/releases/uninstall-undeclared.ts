import { AppError } from '@/lib/contract/app-error';
import type { UninstallDecisionSpec, UninstallUndeclaredRequest } from '@/lib/contract/release-decision';
import { UNINSTALL_VERB } from '@/lib/contract/release-decision';
import { KINDS, SECRET } from '@/lib/kube/kinds';
import { toInstant, toKubeTime } from '@/lib/std/instant';
import type { Session } from '@/server/auth';
import { storedName } from '@/server/chartsync';
import type { Accepted, CommandDeps, Place } from '../command-deps';
import { FIELD_MANAGER, toAccepted } from '../command-deps';
import { DECISION_LIFE_MS } from '../decide-release';
import { refusalReason } from '../read-rights';

/** Decides that Helm uninstalls a release that no resource declares: a ReleaseDecision is written as the person, and chart sync judges it by what is stored. */
export function createUninstallUndeclared(deps: CommandDeps) {
  return async (session: Session, { ns, name }: Place, seen: UninstallUndeclaredRequest): Promise<Accepted> => {
    await deps.auth.authorise(session, { kind: 'uninstall-undeclared', ns });
    const { installation } = deps;
    const why =
      installation.stateOf('chartsync').why ??
      installation.decisionsBlockedReason() ??
      installation.dropped(KINDS.releaseDecision.kind, 'spec.verb', UNINSTALL_VERB);
    // Nobody would answer, or nobody could tell who decided: better no decision than one that waits for ever.
    if (why !== null) throw new AppError('unavailable', why);
    await deps.requireRecord();
    const { user, groups } = session.person;
    const spec: UninstallDecisionSpec = {
      releaseRef: { kind: SECRET.kind, name: storedName({ name }, seen.revision), uid: seen.uid },
      verb: UNINSTALL_VERB,
      actor: { user, groups: [...groups] },
      expiresAt: toKubeTime(toInstant(deps.clock.now() + DECISION_LIFE_MS)),
      ...(seen.reason ? { reason: seen.reason } : {}),
    };
    const decision = { ...KINDS.releaseDecision, metadata: { generateName: `${name}-`, namespace: ns }, spec };
    return toAccepted(await deps.cluster.as(session.person).create(decision, { fieldManager: FIELD_MANAGER }));
  };
}

/** Why a person may not decide that about the releases of a namespace; null where they may. */
export async function notUninstallUndeclaredReason(deps: CommandDeps, session: Session, ns: string): Promise<string | null> {
  return refusalReason(deps, session, [{ kind: 'uninstall-undeclared', ns }]);
}
