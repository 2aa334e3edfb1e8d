import type { ReleaseMessage } from '../release-message';

type Cancelled = Extract<ReleaseMessage, { readonly id: 'decided.cancelled' }>;

/** That Helm was stopped for a person, and what it left. */
export function formatCancelled({ command, stored, revision, unread }: Cancelled): string {
  const what = command === null ? 'the server stopped while it cancelled' : `helm ${command} was stopped`;
  if (unread !== undefined) return `${what}; what Helm stored cannot be read: ${unread}`;
  return `${what}; ${stored === null ? 'no revision is stored' : `Helm's storage says ${stored} at revision ${revision ?? 'unknown'}`}`;
}
