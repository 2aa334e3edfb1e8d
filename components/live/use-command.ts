'use client';

import { useMutation } from '@tanstack/react-query';
import type { z } from 'zod';
import { showToast } from '@/components/ui/overlay/toast';
import { messageOf } from '@/lib/contract/app-error';
import { acceptedBody } from '@/lib/contract/pages/answers';
import { postJson } from './request';

/** What a command that was taken made or changed. */
export type Accepted = z.infer<typeof acceptedBody>['accepted'];

export interface Command<Body> {
  readonly send: (body: Body) => void;
  readonly isPending: boolean;
  /** The sentence of a refusal, for the place next to the control. */
  readonly refusal: string | null;
  /** The refusal whole, for what it tells besides its sentence. */
  readonly failure: Error | null;
  readonly reset: () => void;
}

/** A command to the server. Nothing on the page changes before the cluster says so: `onAccepted` only says that it was taken. */
export function useCommand<Body>(url: string, onAccepted: (accepted: Accepted) => void): Command<Body> {
  const mutation = useMutation({
    mutationFn: (body: Body) => postJson(url, body, acceptedBody),
    onSuccess: ({ accepted }) => onAccepted(accepted),
    retry: false,
  });
  return {
    send: mutation.mutate,
    isPending: mutation.isPending,
    refusal: mutation.error?.message ?? null,
    failure: mutation.error,
    reset: mutation.reset,
  };
}

/** Does the opposite of what was just done: an act of its own, with its own rights and its own entry on record. */
export async function sendUndo<Body>(url: string, opposite: Body, said: string): Promise<void> {
  try {
    await postJson(url, opposite, acceptedBody);
    showToast(said);
  } catch (error) {
    showToast(messageOf(error), 'bad');
  }
}
