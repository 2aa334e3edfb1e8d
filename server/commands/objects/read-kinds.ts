import type { KindRow, KindsPage } from '@/lib/contract/object-rows';
import type { Session } from '@/server/auth';
import { nothingListed } from '@/server/auth';
import type { ApiResource } from '@/server/kube';
import { givesRight, listKinds, readHeldRights } from '@/server/kube';
import type { CommandDeps } from '../command-deps';

/** A kind as rows name it. */
export function toKindRow({ group, version, kind, plural, namespaced, shortNames }: ApiResource): KindRow {
  return { group, version, kind, plural, namespaced, shortNames: [...shortNames] };
}

/** The kinds that a person may list, in one namespace or everywhere: what is served, and one review of rules that is made as the person. Throws where it is none. */
export async function readKinds(deps: CommandDeps, session: Session, ns: string | undefined): Promise<KindsPage> {
  await deps.auth.authorise(session, { kind: 'see-self' });
  const [served, { rules, isIncomplete }] = await Promise.all([
    listKinds(deps.cluster.discovery),
    readHeldRights(deps.cluster.as(session.person), ns),
  ]);
  const listable = served.filter(({ verbs, kind }) => verbs.includes('list') && kind !== 'ComponentStatus'); // which has been empty for years
  // Where the cluster cannot tell all that it allows, a kind is left in: its own page says whether it may be read.
  const mayList = ({ group, plural }: ApiResource) => isIncomplete || givesRight(rules, { verb: 'list', group, resource: plural });
  const rows = listable.sort((a, b) => compare(a.group, b.group) || compare(a.kind, b.kind));
  const kinds = rows.filter(mayList).map(toKindRow);
  if (kinds.length === 0 && rows.length > 0) throw nothingListed(session, ns);
  return { kinds, refused: rows.filter((row) => !mayList(row)).map(toKindRow), incomplete: isIncomplete };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
