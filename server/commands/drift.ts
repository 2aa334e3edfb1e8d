import type { DriftAnswer, ObjectDriftField } from '@/lib/contract/drift-rows';
import { readOwnedFields } from '@/lib/kube/field-owners';
import { MASK, maskForReading } from '@/lib/kube/mask';
import type { ObjectAddress } from '@/lib/kube/object';
import { toIso } from '@/lib/std/instant';
import { formatTerminating } from '@/lib/words/format-terminating';
import type { Session } from '@/server/auth';
import type { DriftField } from '@/server/dispatch';
import { foldStringData, isBookkeeping, longNumberReason, withLiveFields } from '@/server/dispatch';
import type { CommandDeps, Place } from './command-deps';
import { createLineFinder, ownersOfLines } from './drift-lines';
import { findReplacement } from './drift-replacement';
import { toYaml } from './manifest-text';
import { readVisibleComparison } from './read-visible-drift';

const LONGEST_VALUE = 2000;

/** Reads how an object stands to what its application's newest revision wants, with who set what, or why that cannot be said; Secrets by key and mark only. */
export async function readDrift(deps: CommandDeps, session: Session, place: Place, at: ObjectAddress): Promise<DriftAnswer> {
  const seen = await readVisibleComparison(deps, session, place, at);
  if ('uncompared' in seen) return { state: 'uncompared', at: toIso(deps.clock.now()), why: seen.uncompared };
  const { wanted, live, fields } = seen;
  const stays = live && longNumberReason(live, fields);
  // Only the manifest of a Secret has stringData; the server holds it as data.
  const masked = maskForReading(foldStringData(wanted.manifest)).value;
  const told = fields.filter(({ steps }) => !isBookkeeping(steps));
  const liveText = live === undefined ? null : toYaml(withLiveFields(masked, told.map(withMark), maskForReading(live).value));
  const desired = toYaml(masked);
  const [desiredLine, liveLine] = [createLineFinder(desired), createLineFinder(liveText ?? '')];
  return {
    state: 'compared',
    at: toIso(deps.clock.now()),
    revision: wanted.revision,
    isApplied: wanted.isApplied,
    exists: live !== undefined,
    terminating: live?.metadata.deletionTimestamp === undefined ? null : formatTerminating(live.metadata.finalizers ?? []),
    hasManagedFields: live !== undefined && readOwnedFields(live) !== undefined,
    fields: fields.map((field) => toRow(field, { desiredLine: desiredLine(field.steps), liveLine: liveLine(field.steps) })),
    desired,
    live: liveText,
    ...(live === undefined || liveText === null
      ? { owners: [], lineOwners: [] }
      : ownersOfLines(live, liveText.split('\n').length, liveLine)),
    repair: stays === undefined ? wanted.repair : { when: 'never', why: stays },
    replacement: stays === undefined ? ((await findReplacement(deps, session, place, { wanted, live, fields })) ?? null) : null,
  };
}

/** A hidden value as the text shows it: it must not look like the wanted one, which is hidden too. */
function withMark(field: DriftField): Pick<DriftField, 'steps' | 'kind' | 'found'> {
  const { steps, kind, hidden } = field;
  return { steps, kind, found: hidden === null ? field.found : `${MASK} (another value)` };
}

type Lines = Pick<ObjectDriftField, 'desiredLine' | 'liveLine'>;

function toRow({ path, kind, kept, wanted, found, hidden, setBy }: DriftField, { desiredLine, liveLine }: Lines): ObjectDriftField {
  const owner = setBy && {
    manager: setBy.manager,
    operation: setBy.operation,
    subresource: setBy.subresource ?? null,
    since: setBy.since ?? null,
  };
  // What is gone stands in the desired text alone, what was added in the live one alone.
  const lines = { desiredLine: kind === 'added' ? null : desiredLine, liveLine: kind === 'removed' ? null : liveLine };
  return { path, kind, kept, desired: toText(wanted), live: toText(found), hidden, setBy: owner, ...lines };
}

function toText(value: unknown): string | null {
  if (value === undefined) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE)}…`;
}
