import { z } from 'zod';
import { isAppError } from '@/lib/contract/app-error';
import type { SubscribeRefusal } from '@/lib/contract/live';
import { seq } from '@/lib/contract/live';
import { LONGEST_TOPIC } from '@/lib/contract/topic';

const subscribeRequest = z.object({ topic: z.string().max(LONGEST_TOPIC), since: seq.optional() });

/** What a client may ask for, whatever it sends; undefined for anything else. */
export function parseSubscribe(value: unknown) {
  return subscribeRequest.safeParse(value).data;
}

const REFUSALS: readonly string[] = [
  'forbidden',
  'invalid',
  'unauthenticated',
  'not-found',
  'too-many',
] satisfies readonly SubscribeRefusal['code'][];

/** A refusal as it is told; what the client cannot help stays in the log. */
export function toRefusal(error: unknown): SubscribeRefusal | undefined {
  if (!isAppError(error) || !REFUSALS.includes(error.code)) return undefined;
  return {
    kind: 'refused',
    code: error.code as SubscribeRefusal['code'],
    message: error.message,
    ...(error.details === undefined ? {} : { details: error.details }),
  };
}

/** A refusal with its sentence. */
export function refuse(code: SubscribeRefusal['code'], message: string): SubscribeRefusal {
  return { kind: 'refused', code, message };
}
