import { z } from 'zod';
import { health } from './health';
import { freshness } from './live';
import { objectIdentity } from './named-object';

/** References that one request may name. */
export const MAX_REFERENCES = 500;

/** What a wait may be for: every object current, or every object gone. */
export const WAIT_STATES = ['current', 'deleted'] as const;
export type WantedState = (typeof WAIT_STATES)[number];

/** How a wait ended: what was wanted is so, it will not become so by itself, or the time is over. */
export const WAIT_OUTCOMES = ['reached', 'failed', 'timeout'] as const;
export type WaitOutcome = (typeof WAIT_OUTCOMES)[number];

const namespace = z
  .string()
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'must be the name of a namespace');

/** Names an object whose status is asked for. */
export const statusReference = z.strictObject({ ...objectIdentity, namespace: namespace.optional() });
export type StatusReference = z.infer<typeof statusReference>;

/** The objects whose statuses are asked for. */
export const statusesRequest = z.strictObject({
  objects: z
    .array(statusReference)
    .min(1, 'must name at least one object')
    .max(MAX_REFERENCES, `must name at most ${MAX_REFERENCES} objects`),
  /** Where objects are that name no namespace and whose kind has one; `default` when absent. */
  namespace: namespace.optional(),
});

/** How an object is known: by a watch, a list now and then, reads of it alone, or a copy whose watch is lost. */
export const STATUS_SOURCES = ['watch', 'poll', 'get', 'cache'] as const;

/** The status of one object, and below it those of the objects that controllers made for it. */
export interface ObjectStatus {
  /** Empty for the core group. Versions do not tell objects apart. */
  readonly group: string;
  readonly kind: string;
  readonly ns: string | null;
  readonly name: string;
  readonly status: z.infer<typeof health>;
  readonly message: string;
  /** The rule that gave the status; null where nothing was computed. */
  readonly rule: string | null;
  /** How it is known; null where nothing is known of it. */
  readonly source: (typeof STATUS_SOURCES)[number] | null;
  /** How long ago it was so, 0 while it is watched. */
  readonly ageSeconds: number | null;
  readonly generated: readonly ObjectStatus[];
}

export const objectStatus: z.ZodType<ObjectStatus> = z
  .object({
    group: z.string(),
    kind: z.string(),
    ns: z.string().nullable(),
    name: z.string(),
    status: health,
    message: z.string(),
    rule: z.string().nullable().meta({ description: 'The rule that gave the status.' }),
    source: z
      .enum(STATUS_SOURCES)
      .nullable()
      .meta({ description: 'Source: watched, polled, read individually, or from a cache whose watch is lost.' }),
    ageSeconds: z.number().int().min(0).nullable().meta({ description: 'Age of the status; 0 while it is watched.' }),
    get generated() {
      return z.array(objectStatus);
    },
  })
  .meta({ id: 'ObjectStatus' });

const verdict = z.object({ status: health, message: z.string() });

/** The status of a set of objects and of each of them; with how the wait ended, where one was asked for. */
export const statusesBody = freshness.extend({
  ...verdict.shape,
  objects: z.array(objectStatus),
  outcome: z.enum(WAIT_OUTCOMES).optional(),
});
export type StatusesBody = z.infer<typeof statusesBody>;

/** One object changed, and what the status of the set is now. */
export const statusChange = verdict.extend({ object: objectStatus });
export type StatusChange = z.infer<typeof statusChange>;

/** An object is part of the set no more, and what the status of the set is now. */
export const statusGone = verdict.extend({ group: z.string(), kind: z.string(), ns: z.string().nullable(), name: z.string() });
export type StatusGone = z.infer<typeof statusGone>;

/** Why a stream ended: a wait is over, or the session or its right is (`ended`). */
export const statusEnd = verdict.extend({ outcome: z.enum([...WAIT_OUTCOMES, 'ended']), sentence: z.string() });
export type StatusEnd = z.infer<typeof statusEnd>;

/** The events of a stream by name: first `statuses`, then `change` and `gone`, at last `end`. */
export const STATUS_EVENTS = { statuses: statusesBody, change: statusChange, gone: statusGone, end: statusEnd } as const;
export type StatusStreamEvent =
  | { readonly event: 'statuses'; readonly data: StatusesBody }
  | { readonly event: 'change'; readonly data: StatusChange }
  | { readonly event: 'gone'; readonly data: StatusGone }
  | { readonly event: 'end'; readonly data: StatusEnd };
