'use client';

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { postJson } from '@/components/live/request';
import type { QueryLike } from '@/components/ui/data/query-view';
import type { EndAccepted, EndFate, EndPreview } from '@/lib/contract/acts/application-end';
import { endAccepted, endPreview } from '@/lib/contract/acts/application-end';
import { reasonOf } from '@/lib/contract/acts/reason-of';

/** The application as it was seen. */
export interface Ending {
  readonly ns: string;
  readonly name: string;
  readonly uid: string;
}

export interface End {
  readonly preview: QueryLike<EndPreview>;
  readonly isSending: boolean;
  /** Why it was not sent. */
  readonly refusal: string | null;
  readonly send: (reason: string) => void;
}

/** A deletion in two steps: what it does, then exactly that. */
export function useEnd({ ns, name, uid }: Ending, objects: EndFate, onAccepted: (accepted: EndAccepted) => void): End {
  const client = useQueryClient();
  const url = `/api/v1/namespaces/${ns}/applications/${name}/delete`;
  const queryKey = ['end', ns, name, uid];
  const preview = useQuery({
    queryKey: [...queryKey, objects],
    queryFn: () => postJson(url, { uid, objects, dryRun: true }, endPreview),
    retry: false,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const command = useMutation({
    mutationFn: (reason: string) => postJson(url, { uid, objects, plan: preview.data?.plan ?? '', ...reasonOf(reason) }, endAccepted),
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
