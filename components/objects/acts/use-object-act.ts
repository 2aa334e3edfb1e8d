'use client';

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { postJson } from '@/components/live/request';
import type { QueryLike } from '@/components/ui/data/query-view';
import { reasonOf } from '@/lib/contract/acts/reason-of';
import type { ActTarget, ObjectActDone, ObjectActPlan, ObjectVerb } from '@/lib/contract/object-acts';
import { objectActDone, objectActPlan } from '@/lib/contract/object-acts';

const URL = '/api/v1/objects/actions';

export interface ObjectAct {
  readonly plan: QueryLike<ObjectActPlan>;
  readonly done: ObjectActDone | undefined;
  readonly isSending: boolean;
  /** Why nothing was done. */
  readonly refusal: string | null;
  readonly send: (reason: string) => void;
}

/** An act on objects in two steps: what it does, then exactly that. `replicas` is null while no number is given. */
export function useObjectAct(verb: ObjectVerb, targets: readonly ActTarget[], replicas: number | null): ObjectAct {
  const client = useQueryClient();
  const wanted = { verb, targets, ...(verb === 'scale' && replicas !== null ? { replicas } : {}) };
  const plan = useQuery({
    queryKey: ['object-acts', wanted],
    queryFn: () => postJson(URL, { ...wanted, dryRun: true }, objectActPlan),
    enabled: verb !== 'scale' || replicas !== null,
    retry: false,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const command = useMutation({
    mutationFn: (reason: string) => postJson(URL, { ...wanted, plan: plan.data?.plan ?? '', ...reasonOf(reason) }, objectActDone),
    retry: false,
    // What was agreed to is otherwise now, or a part of it is done: what is shown is worked out anew.
    onSettled: () =>
      Promise.all([client.invalidateQueries({ queryKey: ['kinds'] }), client.invalidateQueries({ queryKey: ['object-acts'] })]),
  });
  return {
    plan,
    done: command.data,
    isSending: command.isPending,
    refusal: command.error?.message ?? null,
    send: command.mutate,
  };
}
