import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { z } from 'zod';
import type { RefusableVerb, Refusals, RightsOf } from '@/lib/contract/rights-of';
import { rightsPath } from '@/lib/contract/rights-of';
import { t } from '@/lib/words/catalogue/console/live';
import { useFirstPaint } from './hydration/first-paint';
import { readJson } from './request';

const KEPT_MS = 10_000;

/** Why an act waits until it is known whether the person may take it. */
export const CHECKING = t.checkingYourPermissions;

/**
 * What the person may do.
 *
 * 1. While it is `checking`, acts wait: a button that refuses after the click has lied.
 * 2. What could not be read is `unread`, and in nobody's way: the server decides, and pause and abort must not hang on a second answer.
 */
export type Rights<Known extends Refusals> = Known | 'checking' | 'unread';

/** The cache key of somebody's rights. */
export function rightsKey(of: RightsOf | null): readonly ['rights', string] {
  return ['rights', of === null ? '' : rightsPath(of)];
}

/**
 * What the person may do; of null, where it is not known yet about what, nothing is asked. Most pages come with the answer. Where it rests on more than
 * rights, `state` names what it rests on, and it is asked again once that is another.
 */
export function useRights<Schema extends z.ZodType<Refusals>>(of: RightsOf | null, schema: Schema, state = ''): Rights<z.infer<Schema>> {
  const { data, isError, refetch } = useQuery({
    queryKey: rightsKey(of),
    queryFn: ({ signal }): Promise<z.infer<Schema>> => readJson(of === null ? '' : rightsPath(of), schema, signal),
    enabled: of !== null,
    staleTime: KEPT_MS,
    // Whoever was refused asks a colleague, and comes back to this window.
    refetchOnWindowFocus: true,
    retry: false,
  });
  const asked = useRef(state);
  useEffect(() => {
    if (asked.current === state) return;
    asked.current = state;
    refetch();
  }, [state, refetch]);
  const first = useFirstPaint<z.infer<Schema>>(rightsKey(of));
  if (first !== undefined) return first.data ?? (of === null ? 'unread' : 'checking');
  if (data !== undefined) return data;
  return isError || of === null ? 'unread' : 'checking';
}

/** Why the person may not do something, or why it waits; null when nothing is in the way. */
export function refusalIn<Known extends Refusals>(rights: Rights<Known>, verb: RefusableVerb<Known>): string | null {
  if (rights === 'checking') return CHECKING;
  const said = rights === 'unread' ? null : rights[verb];
  return typeof said === 'string' ? said : null;
}
