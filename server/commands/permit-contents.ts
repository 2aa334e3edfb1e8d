import { AppError, isAppError } from '@/lib/contract/app-error';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { explainMissingRight, plannedChange } from '@/server/application';
import type { Session } from '@/server/auth';
import { LABEL, readTracker } from '@/server/dispatch';
import type { AccessRight } from '@/server/kube';
import type { CommandDeps } from './command-deps';
import { FIELD_MANAGER } from './command-deps';

/**
 * Refuses an application that would have the server write or delete what the person may not. The engine asks the same before
 * it makes a revision; here the person hears of it at once, and nothing is written.
 */
export async function permitContents(deps: CommandDeps, session: Session, next: KubeObject): Promise<void> {
  const { name = '', namespace = '' } = next.metadata;
  // Read as the server: what is known of the application decides, whether or not the person may read records.
  const revisions = await listOf(deps, { ...KINDS.applicationRevision, namespace }, name);
  const trackers = (await listOf(deps, KINDS.resourceTracker, name)).filter(({ metadata }) => metadata.labels?.[LABEL.appNamespace] === namespace);
  const person = deps.cluster.as(session.person);
  const why = await explainMissingRight(
    plannedChange(next, revisions, trackers.map(readTracker)),
    {
      user: session.user,
      may: (right) => holds(deps, session, right),
      tryCreate: (object) => person.create(object, { fieldManager: FIELD_MANAGER, dryRun: true }),
    },
    deps.cluster.discovery,
  );
  if (why !== undefined) throw new AppError('forbidden', why);
}

/** True when a person holds a right. */
export async function holds({ auth }: CommandDeps, session: Session, right: AccessRight): Promise<boolean> {
  try {
    await auth.authorise(session, { kind: 'write-object', right });
    return true;
  } catch (error) {
    if (isAppError(error) && error.code === 'forbidden') return false;
    throw error;
  }
}

async function listOf({ cluster }: CommandDeps, kind: TypeRef & { readonly namespace?: string }, name: string): Promise<readonly KubeObject[]> {
  const found: KubeObject[] = [];
  for await (const page of cluster.list(kind, { labelSelector: `${LABEL.appName}=${name}` })) {
    found.push(...page.items.filter(({ metadata }) => metadata.labels?.[LABEL.appName] === name));
  }
  return found;
}
