import { withoutSystemGroups } from '@/lib/kube/person-note';
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

/** Who is of it makes decisions in the name of anybody: no person is. */
const SERVERS = 'slipway:servers';

/** Leaves out groups that the server's roles do not name: a request with one of them would be refused as a whole. Those of the system never count, nor those with white space around their name, which is lost on the way. */
export async function splitGroups(all: readonly string[], rights: OwnRights): Promise<SplitGroups> {
  const ordinary = withoutSystemGroups(all).filter((group) => group !== SERVERS);
  const wanted = ordinary.flatMap((name) => WAYS.map((way): AccessRight => ({ ...way, resource: 'groups', name })));
  const lacking = await rights.lacks(wanted);
  const groups = ordinary.filter((name) => lacking.filter((right) => right.name === name).length < WAYS.length);
  return { groups, leftOut: all.filter((group) => !groups.includes(group)) };
}
