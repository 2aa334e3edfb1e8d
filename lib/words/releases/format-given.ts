import { formatCount, formatList } from '../figures';
import type { Given } from '../release-message';
import { formatMembers } from '../sessions/format-members';

type Groups = readonly (readonly string[])[];

/** Whose approvals are wanted; nothing where anybody's are. */
export const byMembers = (groups: Groups, people: number) =>
  groups.length === 0 ? '' : ` by ${people === 1 ? 'a member' : 'members'} of ${formatMembers(groups, people)}`;

/** How many approvals something has of how many. */
export const countGiven = (given: number, required: number) => `${given} of ${formatCount(required, 'approval')}`;

/** The same, whose they are, and who is missing. */
export function formatGiven({ approvers, required, groups }: Omit<Given, 'id'>): string {
  const given = countGiven(approvers.length, required);
  if (approvers.length === 0) return `${given}${byMembers(groups, required)}`;
  const missing = required - approvers.length;
  return `${given}: ${formatList(approvers)}${missing > 0 ? `; needs ${missing} more${byMembers(groups, missing)}` : ''}`;
}

/** The same of a gate as a server tells it; an older one lists who approved, and leaves the words to whoever shows it. */
export const givenOf = ({ given, ...listed }: Omit<Given, 'id'> & { readonly given?: string | undefined }): string =>
  given ?? formatGiven(listed);
