import { createHash } from 'node:crypto';
import { bareDigest } from '@/lib/contract/change-rows';
import { toStableJson } from '@/lib/std/stable-json';

/** A plan as it travels on an object: its digest, which spec it was made for, and which act it came with. */
export interface PreviewedPlan {
  readonly text: string;
  /** The same without what the plan was made for: by which it is on record. */
  readonly id: string;
  readonly digest: string;
}

/** The plan that an annotation names; undefined without one, and for one that was made for another spec. */
export function readPlanFor(spec: unknown, text: string | undefined): PreviewedPlan | undefined {
  const [digest, bound, ...rest] = text?.split(' ') ?? [];
  return text === undefined || digest === undefined || bound !== digestOfSpec(spec)
    ? undefined
    : { text, id: [bareDigest(digest), bound, ...rest].join(' '), digest };
}

/**
 * The text of an annotation that binds a plan to a spec. The act makes two equal plans for equal specs two, so that one that was accepted once does
 * not vouch for the next time.
 */
export function toPlanText(spec: unknown, { digest, act }: { readonly digest: string; readonly act: string }): string {
  return `${digest} ${digestOfSpec(spec)} ${act}`;
}

/** By which notes on an object are bound to its spec. */
export function digestOfSpec(spec: unknown): string {
  return `sha256:${createHash('sha256')
    .update(toStableJson(spec ?? null))
    .digest('hex')}`;
}
