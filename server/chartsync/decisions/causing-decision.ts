import type { ReleaseVerb } from '@/lib/contract/release-decision';
import { readString } from '@/lib/kube/fields';
import type { Gates } from '../gate/gates';
import type { DeclaredRelease } from '../model/declared';
import { readReleaseDecision } from './hold';
import type { Holds } from './holds';

/** The decision that made the engine act on a release. */
export interface CausingDecision {
  readonly name: string;
  readonly verb: ReleaseVerb;
  /** Who made it; of an approval everybody whom it took. */
  readonly users: readonly string[];
  readonly reason: string | null;
}

/** What makes the engine look at a release; the others stop it. */
const CAUSES: readonly ReleaseVerb[] = ['sync', 'approve', 'rollback', 'lift', 'unlock', 'loosen'];

/** The newest accepted decision about a resource that makes the engine look at its release; undefined where there is none. */
export function causingDecision(
  resource: DeclaredRelease,
  { holds, gates }: { readonly holds: Pick<Holds, 'about'>; readonly gates: Pick<Gates, 'of'> },
): CausingDecision | undefined {
  const accepted = holds.about(resource.uid).flatMap((object) => {
    const spec = readString(object, 'status', 'phase') === 'Accepted' ? readReleaseDecision(object) : undefined;
    return spec === undefined || !CAUSES.includes(spec.verb)
      ? []
      : [{ name: object.metadata.name ?? '', spec, at: readString(object, 'status', 'at') ?? '' }];
  });
  const last = accepted.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)).at(-1);
  if (last === undefined) return undefined;
  const { name, spec, at } = last;
  const approved = gates.of(resource)?.approved;
  const users = spec.verb === 'approve' && approved?.at === at ? approved.by : [spec.actor.user];
  return { name, verb: spec.verb, users, reason: spec.reason ?? null };
}
