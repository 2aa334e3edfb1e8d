import { AppError } from '@/lib/contract/app-error';
import type { ConflictingChange } from '@/lib/contract/change-rows';
import { REQUESTED_BY } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject } from '@/lib/kube/object';
import { readAnnotatedUser } from '@/lib/kube/user-annotations';
import { diffHunks } from '@/lib/std/line-diff';
import type { Session } from '@/server/auth';
import type { CommandDeps } from './command-deps';
import { toApplicationText } from './read-application-text';

const MAX_LINES = 400;

/**
 * The refusal of a change that rests on an older state: whose change came first, and what it is. That is known line by line where the plan
 * that the person saw is kept, since it tells what it was made on.
 */
export async function refuseConflictingChange(
  deps: CommandDeps,
  session: Session,
  held: KubeObject,
  plan: string | undefined,
): Promise<AppError> {
  const { namespace = '', name = '', generation = 0, deletionTimestamp } = held.metadata;
  const what = describeObject({ kind: held.kind, namespace, name });
  if (deletionTimestamp !== undefined)
    return new AppError('conflict', `${what} has been terminating since ${deletionTimestamp} and can no longer be changed`);
  const by = readAnnotatedUser(held, REQUESTED_BY)?.user ?? null;
  const kept = plan === undefined ? undefined : await deps.previews.read(plan);
  const isSame = kept !== undefined && kept.ns === namespace && kept.name === name;
  const lines = isSame ? diffHunks(kept.base, toApplicationText(held).text).slice(0, MAX_LINES) : [];
  const theirs: ConflictingChange = { by, generation, lines: [...lines] };
  const who = by === session.user ? 'you, elsewhere,' : (by ?? 'someone else');
  return new AppError('conflict', `${what} was changed by ${who} since you opened it`, { details: { theirs } });
}
