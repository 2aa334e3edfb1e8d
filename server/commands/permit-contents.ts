import { AppError, isAppError } from '@/lib/contract/app-error';
import type { KubeObject } from '@/lib/kube/object';
import { explainMissingRight } from '@/server/application';
import type { Session } from '@/server/auth';
import type { AccessRight } from '@/server/kube';
import type { CommandDeps } from './command-deps';
import { FIELD_MANAGER } from './command-deps';

/**
 * Refuses an application that would have the server write or delete what the person may not. The engine asks the same before
 * it makes a revision; here the person hears of it at once, and nothing is written.
 */
export async function permitContents(deps: CommandDeps, session: Session, next: KubeObject): Promise<void> {
  const needed = await deps.planner.rightsNeeded(next, session);
  const why = needed && (await explainMissingContentRight(deps, session, needed));
  if (why !== undefined) throw new AppError('forbidden', why);
}

/** The first right that the person lacks for what the server would do on their behalf, in a sentence; undefined when they hold all of them. */
export function explainMissingContentRight(
  deps: CommandDeps,
  session: Session,
  needed: Parameters<typeof explainMissingRight>[0],
): Promise<string | undefined> {
  const person = deps.cluster.as(session.person);
  return explainMissingRight(
    needed,
    {
      user: session.user,
      may: (right) => holdsRight(deps, session, right),
      tryCreate: (object) => person.create(object, { fieldManager: FIELD_MANAGER, dryRun: true }),
    },
    deps.cluster.discovery,
  );
}

/** True when a person holds a right. */
export async function holdsRight({ auth }: CommandDeps, session: Session, right: AccessRight): Promise<boolean> {
  try {
    await auth.authorise(session, { kind: 'write-object', right });
    return true;
  } catch (error) {
    if (isAppError(error) && error.code === 'forbidden') return false;
    throw error;
  }
}
