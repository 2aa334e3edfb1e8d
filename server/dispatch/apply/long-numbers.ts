import { AppError } from '@/lib/contract/app-error';
import type { Fields } from '@/lib/kube/fields';
import { isFields } from '@/lib/kube/fields';
import { maskSecrets } from '@/lib/kube/mask';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject } from '@/lib/kube/object';
import { explainPatch } from '../drift/explain-patch';
import { formatPath } from '../drift/field-path';
import { mergeRulesOf } from './merge-rules';

/** A whole number beyond 2^53 in what a write would take away, or write over. */
export function findLongNumber(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  const members = Array.isArray(value) ? value : isFields(value) ? Object.values(value) : [];
  for (const member of members) {
    const found = findLongNumber(member);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isHeld(number: bigint, value: unknown): boolean {
  if (value === number) return true;
  const members = Array.isArray(value) ? value : isFields(value) ? Object.values(value) : [];
  return members.some((member) => isHeld(number, member));
}

/** Why what differs is not put back; undefined where no whole number beyond 2^53 would go by it. */
export function longNumberReason(
  object: KubeObject,
  differences: readonly { readonly path: string; readonly found: unknown }[],
): string | undefined {
  for (const { path, found } of differences) {
    const number = findLongNumber(found);
    if (number === undefined) continue;
    const what = describeObject({ kind: object.kind, name: object.metadata.name });
    // Once values that nobody is to read are masked it is still there, or it was one of them.
    return isHeld(number, maskSecrets(object).value)
      ? `${path} of ${what} holds ${number}: whole numbers beyond 2^53 are shown but never written`
      : `${path} of ${what} holds a whole number beyond 2^53, which is never written`;
  }
  return undefined;
}

/** A patch, and the object that it brings about. */
interface Sent {
  readonly patch: Fields;
  readonly modified: KubeObject;
}

/** Throws where a patch would write over a whole number beyond 2^53, take it away, or replace a list that holds one (record 0050). */
export function assertLongNumbersKept(live: KubeObject, { patch, modified }: Sent): void {
  const found = { ...live, metadata: { labels: {}, annotations: {}, ...live.metadata } };
  const differences = explainPatch({ patch, wanted: modified, found, rules: mergeRulesOf(modified), steps: [] });
  const why = longNumberReason(
    live,
    differences.map(({ steps, found: there }) => ({ path: formatPath(steps), found: there })),
  );
  if (why !== undefined) throw new AppError('invalid', why);
}
