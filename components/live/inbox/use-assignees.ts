'use client';

import { useQuery } from '@tanstack/react-query';
import { useIsHydrating } from '@/components/live/hydration/first-paint';
import { useStatus } from '@/components/live/staleness';
import type { Assignees } from '@/lib/contract/inbox/assignees';
import type { InboxQuery } from '@/lib/contract/inbox/inbox-query';
import { formatInboxQuery } from '@/lib/contract/inbox/inbox-query';
import { assigneesQuery } from './assignee-queries';

/**
 * Whose turn it is with what waits; undefined until it is known. What the server sent knows of none, and is taken over part by part: one that
 * comes late says so as well, though another part has asked by then.
 */
export function useAssignees(anyWaits: boolean, of: InboxQuery = {}): Assignees | undefined {
  const { data } = useQuery({ ...assigneesQuery(useStatus()?.waiting ?? '', formatInboxQuery(of)), enabled: anyWaits });
  return useIsHydrating() ? undefined : data;
}
