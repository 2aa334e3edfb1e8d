import type { KindRow, KindsPage } from '@/lib/contract/object-rows';
import type { Session } from '@/server/auth';
import type { ApiResource } from '@/server/kube';
import { givesRight, listKinds, readHeldRights } from '@/server/kube';
import type { CommandDeps } from '../command-deps';

/** A kind as rows name it. */
export function toKindRow({ group, version, kind, plural, namespaced, shortNames }: ApiResource): KindRow {
  return { group, version, kind, plural, namespaced, shortNames: [...shortNames] };
}

/** The kinds that a person may list, in one namespace or everywhere: what is served, and one review of rules that is made as the person. */
export async function readKinds(deps: CommandDeps, session: Session, ns: string | undefined): Promise<KindsPage> {
  await deps.auth.authorise(session, { kind: 'see-self' });
  const [served, { rules, isIncomplete }] = await Promise.all([
    listKinds(deps.cluster.discovery),
    readHeldRights(deps.cluster.as(session.person), ns),
  ]);
  const listable = served.filter(({ verbs, kind }) => verbs.includes('list') && kind !== 'ComponentStatus'); // which has been empty for years
  // Where the cluster cannot tell all that it allows, a kind is left in: its own page says whether it may be read.
  const kinds = listable.filter(({ group, plural }) => isIncomplete || givesRight(rules, { verb: 'list', group, resource: plural }));
  const shown = kinds.map(toKindRow).sort((a, b) => compare(a.group, b.group) || compare(a.kind, b.kind));
  return { kinds: shown, left: listable.length - shown.length, incomplete: isIncomplete };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
