import { formatCount, formatList } from '../figures';
import type { ReleaseMessage } from '../release-message';
import { formatMembers } from '../sessions/format-members';

type Groups = readonly (readonly string[])[];

/** Whose approvals are wanted; nothing where anybody's are. */
export const byMembers = (groups: Groups, people: number) =>
  groups.length === 0 ? '' : ` by ${people === 1 ? 'a member' : 'members'} of ${formatMembers(groups, people)}`;

/** How many approvals something has of how many. */
export const countGiven = (given: number, required: number) => `${given} of ${formatCount(required, 'approval')}`;

/** The same, whose they are, and who is missing. */
export function formatGiven({ supporters, required, groups }: Extract<ReleaseMessage, { readonly id: 'gate.given' }>): string {
  const given = countGiven(supporters.length, required);
  if (supporters.length === 0) return `${given}${byMembers(groups, required)}`;
  const missing = required - supporters.length;
  return `${given}: ${formatList(supporters)}${missing > 0 ? `; needs ${missing} more${byMembers(groups, missing)}` : ''}`;
}
