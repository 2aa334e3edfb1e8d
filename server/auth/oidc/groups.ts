import { withoutSystemGroups } from '@/lib/kube/user-annotations';
import type { AccessRight, OwnRights } from '@/server/kube';

/** Groups of somebody, by whether the server may act as their member. */
export interface SplitGroups {
  readonly groups: readonly string[];
  readonly leftOut: readonly string[];
}

// In full, or in constrained impersonation, where a role also says what may be done as the person.
const WAYS = [
  { verb: 'impersonate', group: '' },
  { verb: 'impersonate:user-info', group: 'authentication.k8s.io' },
] as const;

/** Providers name some hundreds at most. Each may cost a question to the cluster, at every look at a session. */
const MAX_GROUPS = 1000;

/** Who is of it makes decisions in the name of anybody: no person is. */
const SERVERS = 'slipway:servers';

/** Leaves out groups that the server's roles do not name, and any beyond the first thousand: a request with one of them would be refused as a whole. Those of the system never count, nor those with white space around their name, which is lost on the way. */
export async function splitGroups(all: readonly string[], rights: OwnRights): Promise<SplitGroups> {
  const ordinary = [...new Set(withoutSystemGroups(all))].filter((group) => group !== SERVERS).slice(0, MAX_GROUPS);
  const wanted = ordinary.flatMap((name) => WAYS.map((way): AccessRight => ({ ...way, resource: 'groups', name })));
  const lacking = new Map<string, number>();
  for (const { name = '' } of await rights.lacks(wanted)) lacking.set(name, (lacking.get(name) ?? 0) + 1);
  const groups = new Set(ordinary.filter((name) => (lacking.get(name) ?? 0) < WAYS.length));
  return { groups: [...groups], leftOut: [...new Set(all)].filter((group) => !groups.has(group)) };
}
