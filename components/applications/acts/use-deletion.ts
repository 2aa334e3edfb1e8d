'use client';

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { postJson } from '@/components/live/request';
import type { QueryLike } from '@/components/ui/data/query-view';
import type { DeletionAccepted, DeletionPolicy, DeletionPreview } from '@/lib/contract/acts/application-deletion';
import { deletionAccepted, deletionPreview } from '@/lib/contract/acts/application-deletion';
import { reasonOf } from '@/lib/contract/acts/reason-of';

/** The application as it was seen. */
export interface DeletionTarget {
  readonly ns: string;
  readonly name: string;
  readonly uid: string;
}

export interface Deletion {
  readonly preview: QueryLike<DeletionPreview>;
  readonly isSending: boolean;
  /** Why it was not sent. */
  readonly refusal: string | null;
  readonly send: (reason: string) => void;
}

/** A deletion in two steps: what it does, then exactly that. */
export function useDeletion(
  { ns, name, uid }: DeletionTarget,
  objects: DeletionPolicy,
  onAccepted: (accepted: DeletionAccepted) => void,
): Deletion {
  const client = useQueryClient();
  const url = `/api/v1/namespaces/${ns}/applications/${name}/delete`;
  const queryKey = ['end', ns, name, uid];
  const preview = useQuery({
    queryKey: [...queryKey, objects],
    queryFn: () => postJson(url, { uid, objects, dryRun: true }, deletionPreview),
    retry: false,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const command = useMutation({
    mutationFn: (reason: string) => postJson(url, { uid, objects, plan: preview.data?.plan ?? '', ...reasonOf(reason) }, deletionAccepted),
    retry: false,
    onSuccess: onAccepted,
    // What was agreed to is otherwise now: it is worked out anew.
    onError: () => client.invalidateQueries({ queryKey }),
  });
  return {
    preview,
    isSending: command.isPending,
    refusal: command.error?.message ?? null,
    send: command.mutate,
  };
}
