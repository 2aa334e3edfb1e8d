import { groupsOfAccount } from '@/lib/kube/user-annotations';
import type { Person } from '@/server/kube';

/** Who makes a request, as authentication found out. */
export interface Caller {
  readonly user: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const SYSTEM_MASTERS = 'system:masters';
export const AUTHENTICATED = 'system:authenticated';

/** The group of Slipway's servers, whose members may write decisions in the name of others: they have checked who it is. */
export const SERVERS = 'slipway:servers';

/** Whoever administers the cluster by its kubeconfig. */
export const ADMIN: Caller = { user: 'admin', groups: [SYSTEM_MASTERS, AUTHENTICATED] };
/** The server's own identity, in the process that the cluster runs in. */
export const SERVER: Caller = { ...ADMIN, groups: [...ADMIN.groups, SERVERS] };

/** The person a request is made as, with the groups that everyone has. */
export function callerOf(person: Person): Caller {
  // An API server names the wider group first.
  const given = person.groups.length === 0 ? groupsOfAccount(person.user).toReversed() : person.groups;
  const groups = person.user === 'system:anonymous' || given.includes(AUTHENTICATED) ? given : [...given, AUTHENTICATED];
  return {
    user: person.user,
    groups,
    ...(person.uid ? { uid: person.uid } : {}),
    ...(person.extra ? { extra: lowerCased(person.extra) } : {}),
  };
}

// Keys travel as names of headers, which know no case.
function lowerCased(extra: Readonly<Record<string, readonly string[]>>): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(extra).map(([key, values]) => [key.toLowerCase(), values]));
}

export const isMaster = (caller: Caller) => caller.groups.includes(SYSTEM_MASTERS);

/** The groups of a caller as they are noted on objects, one per line. */
export const linesOf = ({ groups }: Caller) => groups.filter((group) => !group.includes('\n')).join('\n');

/** True for a name that would be read as several, since notes list one person per line. */
export const hasLineBreak = (user: string) => user.includes('\n');
