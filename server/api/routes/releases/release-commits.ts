import { isAppError } from '@/lib/contract/app-error';
import type { ApprovableCommit, ReleaseCommits } from '@/lib/contract/release-comparison';
import { formatRelease } from '@/lib/words/format-release';
import { capitalise } from '@/server/readmodel';
import type { ApiDeps } from '../../api-deps';
import type { Caller } from '../../route';
import { requireSession } from '../../route';
import type { NamedRelease } from '../release-storage';
import { permitStorage, placeOf } from '../release-storage';

/** The commits that touched a chart, each that a gate keeps from the release as whoever asks may approve it. */
export async function readCommits(named: NamedRelease, caller: Caller, deps: ApiDeps): Promise<ReleaseCommits> {
  await permitStorage(named, caller, deps);
  const actor = actorOf(caller);
  const { commits, ...listed } = await deps.releases.commits(placeOf(named), actor);
  const lacked = commits.some(({ approval }) => approval !== undefined) ? await lackedReason(named, caller, deps) : null;
  return {
    ...listed,
    commits: commits.map(({ approval, ...one }) => ({ ...one, ...(approval && { approval: shown(approval, { lacked, actor }) }) })),
  };
}

/** One of them, as whoever asks may approve it now. */
export async function readApproval(
  named: NamedRelease & { readonly params: { readonly commit: string } },
  caller: Caller,
  deps: ApiDeps,
): Promise<ApprovableCommit> {
  await permitStorage(named, caller, deps);
  const actor = actorOf(caller);
  const lacked = await lackedReason(named, caller, deps);
  const asked = { commit: named.params.commit, actor, lacksRight: lacked !== null, asking: caller.connection.signal };
  const { commit, chart, ...approval } = await deps.releases.approvable(placeOf(named), asked);
  return { commit, chart, ...shown(approval, { lacked, actor }) };
}

type Approval = NonNullable<Awaited<ReturnType<ApiDeps['releases']['commits']>>['commits'][number]['approval']>;

/** The right comes first: without it nobody needs to know how they would be counted. */
function shown(
  { given, why }: Approval,
  { lacked, actor }: { readonly lacked: string | null; readonly actor: ReturnType<typeof actorOf> },
) {
  return { sentence: capitalise(formatRelease(given)), why: lacked ?? (why && capitalise(formatRelease(why), [actor.user])) };
}

function actorOf(caller: Caller) {
  const { user, groups } = requireSession(caller).person;
  return { user, groups: [...groups] };
}

/** The right to approve anything of a release that whoever asks lacks, in words; null where they have it. */
async function lackedReason({ params, query }: NamedRelease, caller: Caller, { auth }: Pick<ApiDeps, 'auth'>): Promise<string | null> {
  try {
    await auth.authorise(requireSession(caller), {
      kind: 'decide-release',
      of: query.kind,
      verb: 'approve',
      ns: params.ns,
      name: params.name,
    });
    return null;
  } catch (error) {
    if (isAppError(error) && error.code === 'forbidden') return error.message;
    throw error;
  }
}
