'use client';

import { useMutation } from '@tanstack/react-query';
import type { z } from 'zod';
import type { SavePreview } from '@/lib/contract/change-rows';
import { savePreview } from '@/lib/contract/change-rows';
import { t } from '@/lib/words/catalogue/console/live';
import { postJson } from './request';
import type { Accepted } from './use-command';
import { useCommand } from './use-command';

/** A change in two steps: first what it does, object by object, then exactly that. */
export interface PlannedChange<Plan = SavePreview> {
  /** What it does; null until that was asked for, and again once something else is wanted. */
  readonly plan: Plan | null;
  /** The refusal of either step. */
  readonly failure: Error | null;
  /** Asks what it does; once that is known, sends the change with its plan. */
  readonly next: () => void;
  /** What is waited for, in words. */
  readonly pending: string | null;
}

/** The two steps of a change of an application. */
export function usePlannedChange<Body extends object>(url: string, wanted: Body, onAccepted: (accepted: Accepted) => void): PlannedChange {
  return usePlanned({ url, schema: savePreview, onAccepted }, wanted);
}

interface Planned<Plan> {
  readonly url: string;
  /** What a preview answers. */
  readonly schema: z.ZodType<Plan>;
  readonly onAccepted: (accepted: Accepted) => void;
}

/** The two steps of a change; a plan counts for what was wanted when it was worked out, and for nothing else. */
export function usePlanned<Body extends object, Plan extends { readonly plan: string }>(
  { url, schema, onAccepted }: Planned<Plan>,
  wanted: Body,
): PlannedChange<Plan> {
  const command = useCommand<Body & { readonly plan: string }>(url, onAccepted);
  const key = JSON.stringify(wanted);
  const preview = useMutation({
    mutationFn: async (body: Body) => ({ key: JSON.stringify(body), plan: await postJson(url, { ...body, dryRun: true }, schema) }),
    retry: false,
  });
  const plan = preview.data?.key === key ? preview.data.plan : null;
  return {
    plan,
    failure: command.failure ?? preview.error,
    pending: command.isPending ? t.sendingTheChange : preview.isPending ? t.computingThePreview : null,
    next: () => (plan === null ? preview.mutate(wanted) : command.send({ ...wanted, plan: plan.plan })),
  };
}
