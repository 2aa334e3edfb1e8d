import { fromCatalogue } from './catalogue/catalogue';
import { formatCount } from './figures';

type ObjectVerb = 'restart' | 'scale' | 'delete';

const VERB: Readonly<Record<ObjectVerb, string>> = { restart: 'Restart', scale: 'Scale', delete: 'Delete' };
const DONE: Readonly<Record<ObjectVerb, string>> = { restart: 'restarted', scale: 'scaled', delete: 'deleted' };

/** An act as its button says it. */
export function formatVerb(verb: ObjectVerb): string {
  return fromCatalogue(VERB[verb]);
}

/** An act on one object by its name, or on several by their number. */
export function formatActOn(verb: ObjectVerb, targets: readonly { readonly kind: string; readonly name: string }[]): string {
  const [first] = targets;
  return fromCatalogue(
    targets.length === 1 && first ? `${VERB[verb]} ${first.kind} ${first.name}` : `${VERB[verb]} ${formatCount(targets.length, 'object')}`,
  );
}

/** What the button of a preview does: all of it, or the rest of what is not allowed. */
export function formatRest(verb: ObjectVerb, { allowed, rows }: { readonly allowed: number; readonly rows: readonly unknown[] }): string {
  if (rows.length === 1) return fromCatalogue(VERB[verb]);
  return fromCatalogue(allowed === rows.length ? `${VERB[verb]} all ${allowed}` : `${VERB[verb]} the other ${allowed}`);
}

/** That something was done, and where its course is seen. */
export function formatDone(verb: ObjectVerb, done: number): string {
  return fromCatalogue(
    `${formatCount(done, 'object')} ${done === 1 ? 'is' : 'are'} ${DONE[verb]} with your permissions, and this is recorded.`,
  );
}

/** How many are refused, before why. */
export function formatRefused(verb: ObjectVerb, refused: number, all: number): string {
  return fromCatalogue(all === 1 ? `It is not ${DONE[verb]}` : `${refused} of ${all} ${refused === 1 ? 'is' : 'are'} not ${DONE[verb]}`);
}

/** What holds an application, and who set that, when and why, as far as it is noted; without a capital and a full stop. */
export function formatSuspension(held: {
  readonly annotation: string;
  readonly by: string | null;
  readonly at: string | null;
  readonly reason: string | null;
}): string {
  const { annotation, by, at, reason } = held;
  if (by === null) return `paused by the annotation ${annotation}`;
  return `suspended by ${by}${at === null ? '' : ` since ${at}`}${reason === null ? '' : ` (${reason})`}`;
}
