import { z } from 'zod';
import { messageOf } from '@/lib/contract/app-error';
import type { KubeObject } from '@/lib/kube/object';
import { parseInstant, toInstant } from '@/lib/std/instant';
import { compute } from '@/server/status/compute';
import type { CaseResult } from './case';
import { toResult } from './case';
import { compare } from './compare';

const statusCase = z.object({
  now: z.string().optional(),
  object: z.custom<KubeObject>(),
  expect: z.union([
    z.object({ error: z.literal(true), errorContains: z.string().optional() }),
    z.object({ status: z.string(), message: z.string(), conditions: z.array(z.unknown()) }),
  ]),
});

/** Computes the status of the case's object. */
export async function runStatusCase(testCase: unknown): Promise<CaseResult> {
  const { now, object, expect } = statusCase.parse(testCase);
  let found: unknown;
  try {
    found = compute(object, parseInstant(now) ?? toInstant(0));
  } catch (error) {
    const message = messageOf(error);
    if (!('error' in expect)) return toResult([{ at: 'expect', expected: expect, found: message }]);
    const contained = message.includes(expect.errorContains ?? '');
    return toResult(contained ? [] : [{ at: 'expect.errorContains', expected: expect.errorContains, found: message }]);
  }
  return toResult('error' in expect ? [{ at: 'expect', expected: expect, found }] : compare('expect', expect, found));
}
