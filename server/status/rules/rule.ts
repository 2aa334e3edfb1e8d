import { z } from 'zod';
import { HEALTH_STATUSES } from '@/lib/contract/health';
import { parseDurationMs } from '@/lib/std/duration';
import { SKIPPED_CHECKS } from '../compute';

/**
 * Rules of kinds as data. Rows are tried from the top; the first whose guards all hold tells the status. Where no row holds,
 * the rules of kstatus go on as if there were none. Paths, guards and messages are explained in docs/status-rules.md.
 */

const PATH_WANTED = 'must be a path such as .status.phase';
const path = z.string(PATH_WANTED).regex(/^\.[^|]/, PATH_WANTED);
/** A path, or several parted by `|`, the last of which may be a plain value. */
const operand = z.union([z.number(), z.string().min(1)], 'must be a number or a path');
const text = z.string('must be a string').min(1, 'must not be empty');
const oneOrMore = <T extends z.ZodType>(one: T, wanted: string) => z.union([one, z.array(one).min(1)], wanted);
const duration = z
  .string('must be a duration such as 5m')
  .refine((text) => parseDurationMs(text) !== undefined, 'must be a duration such as 5m');
const scalar = z.union([z.string(), z.number(), z.boolean()]);
const CONDITION_STATUS_WANTED = 'must be "True", "False" or "Unknown", in quotes, or a list of them';

/** Holds when a condition of that type is there, with one of the statuses and reasons named. */
const conditionGuard = z.strictObject({
  condition: text,
  status: oneOrMore(z.enum(['True', 'False', 'Unknown']), CONDITION_STATUS_WANTED).optional(),
  reason: oneOrMore(text, 'must be a string or a list of strings').optional(),
  /** Where lists of conditions are; `.status.conditions` when absent. */
  at: path.optional(),
  /** Whether the condition speaks of another generation than the present one. */
  stale: z.boolean('must be true or false').optional(),
  /** How long it must have been so, by its time of transition. */
  for: duration.optional(),
});

/** Holds by what stands at a path. Empty texts, lists and maps count as not present. */
const pathGuard = z
  .strictObject({
    path,
    present: z.boolean('must be true or false').optional(),
    is: oneOrMore(scalar, 'must be a value or a list of values').optional(),
    below: operand.optional(),
    above: operand.optional(),
  })
  .refine((guard) => Object.keys(guard).length === 2, 'must have exactly one of present, is, below, above beside path');

/** Holds once that much time has passed since the time at a path; where no time is there, it has. */
const timeGuard = z.strictObject({ since: path, after: duration });

/** Holds when the expression, which sees the object as `object`, is true. */
const celGuard = z.strictObject({ cel: text });

export type ConditionGuard = z.infer<typeof conditionGuard>;
export type PathGuard = z.infer<typeof pathGuard>;
export type TimeGuard = z.infer<typeof timeGuard>;
export type Guard =
  | ConditionGuard
  | PathGuard
  | TimeGuard
  | z.infer<typeof celGuard>
  | { readonly not: Guard }
  | { readonly any: readonly Guard[] };

const GUARDS = { condition: conditionGuard, path: pathGuard, since: timeGuard, cel: celGuard } as const;

/** Tells guards apart by their first word, so that a mistake is told of the guard that was meant. */
export const guard: z.ZodType<Guard> = z.lazy(() =>
  z.unknown().transform((value, context): Guard => {
    const found = typeof value === 'object' && value !== null ? value : {};
    const word = (['condition', 'path', 'since', 'cel', 'not', 'any'] as const).find((name) => name in found);
    if (word === undefined) {
      context.addIssue({ code: 'custom', message: 'must be a guard: condition, path, since, cel, not or any' });
      return z.NEVER;
    }
    const schema =
      word === 'not'
        ? z.strictObject({ not: guard })
        : word === 'any'
          ? z.strictObject({ any: z.array(guard, 'must be a list of guards').min(1) })
          : GUARDS[word];
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data as Guard;
    for (const issue of parsed.error.issues) {
      const { path: at, message } = issue;
      if (issue.code === 'unrecognized_keys')
        context.addIssue({ code: issue.code, keys: issue.keys, path: at, message, input: { ...found } });
      else context.addIssue({ code: 'custom', path: at, message });
    }
    return z.NEVER;
  }),
);

const row = z.strictObject({
  /** What the row is called where a status says what told it; its number when absent. */
  name: text.optional(),
  when: z.array(guard, 'must be a list of guards').optional(),
  status: z.enum(['Current', 'InProgress', 'Failed', 'Unknown'], 'must be Current, InProgress, Failed or Unknown'),
  /** Of the result's condition; that of the condition that held when absent. */
  reason: text.optional(),
  message: text,
});

const KIND_WANTED = 'must be group/Kind, Kind for the core group, or a family: group/*, *.suffix/Kind, *.suffix/*';
// A few kinds are written small; without a group that would be taken for a typing error.
const KIND = /^([A-Z][A-Za-z0-9]*|(\*\.)?[a-z0-9][a-z0-9.-]*\/([A-Za-z][A-Za-z0-9]*|\*))$/;

/** Whether a text may be the key of a rule. */
export function isRuleKey(text: string): boolean {
  return KIND.test(text);
}

/** How the status of one kind, or of a family of kinds, is told. */
const statusRule = z
  .strictObject({
    kind: z.string(KIND_WANTED).regex(KIND, KIND_WANTED),
    /** Of no effect: digits in a text are read as a number for every kind. Files written before still have it. */
    observedGeneration: z.literal('text', 'must be text').optional(),
    /** Checks that come before the rows of every other kind. */
    skip: z.array(z.enum(SKIPPED_CHECKS), `must be a list of ${SKIPPED_CHECKS.join(', ')}`).optional(),
    /** Objects of this kind have no status of their own; one without is current. */
    statusless: z.boolean('must be true or false').optional(),
    rows: z.array(row, 'must be a list of rows').optional(),
  })
  .refine(({ rows, statusless }) => rows !== undefined || statusless === true, { message: 'must be a list of rows', path: ['rows'] });

/** What a file says its rules make of an object, for `slipway status-rules test`. */
const expectation = z.strictObject({
  name: text.optional(),
  object: z.record(z.string(), z.unknown(), 'must be an object'),
  /** The time at which the object is looked at; now when absent. */
  now: text.optional(),
  status: z.enum(HEALTH_STATUSES, `must be one of ${HEALTH_STATUSES.join(', ')}`),
  message: text.optional(),
  reason: text.optional(),
});

export const statusRuleFile = z.strictObject(
  { rules: z.array(statusRule, 'must be a list of rules'), expect: z.array(expectation, 'must be a list of expectations').optional() },
  'must be a map with rules',
);

export type StatusRuleFile = z.infer<typeof statusRuleFile>;
export type Expectation = z.infer<typeof expectation>;

export type RuleRow = Readonly<z.infer<typeof row>>;
export type StatusRule = Readonly<z.infer<typeof statusRule>>;
