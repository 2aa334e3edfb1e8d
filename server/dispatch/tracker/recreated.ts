import { ANNOTATION } from '../labels';

/** What tells one recorded object from another in its place. */
export interface RecordedUids {
  readonly uid?: string;
  /** The uid that it had before this server created it again. */
  readonly plannedUid?: string;
}

/** A record may list thousands of objects, and an annotation holds 256 KiB: of those beyond it plans wait for a person. */
const MAX_NOTED = 500;

/** What this server created again in place of what it had recorded: the same object to whoever planned its deletion. Not so what somebody else put there. */
export function recreatedFrom<E extends RecordedUids>(recorded: RecordedUids, created: E): E {
  const plannedUid = plannedUidOf(recorded);
  return plannedUid === undefined || created.uid === recorded.uid ? created : { ...created, plannedUid };
}

/** What is recorded anew of an object that is still the same one. */
export function keptFrom<E extends RecordedUids>(recorded: RecordedUids, found: E): E {
  const { plannedUid } = recorded;
  return plannedUid === undefined || found.uid !== recorded.uid ? found : { ...found, plannedUid };
}

/** The uid by which plans know an object; undefined for one that is not there yet. */
export function plannedUidOf({ plannedUid, uid }: RecordedUids): string | undefined {
  return plannedUid ?? uid;
}

/** The annotations of a tracker with `uid=plannedUid,…` of what was created again; without it where nothing was. */
export function withRecreatedNote(
  { [ANNOTATION.recreated]: _former, ...annotations }: Readonly<Record<string, string>>,
  entries: readonly RecordedUids[],
): Readonly<Record<string, string>> {
  const pairs = entries.flatMap(({ uid, plannedUid }) => (uid === undefined || plannedUid === undefined ? [] : `${uid}=${plannedUid}`));
  return pairs.length === 0 ? annotations : { ...annotations, [ANNOTATION.recreated]: pairs.slice(0, MAX_NOTED).join(',') };
}

/** The entries with what the tracker's annotation says of them. */
export function withRecreated<E extends RecordedUids>(entries: readonly E[], annotations: Readonly<Record<string, string>>): readonly E[] {
  const note = annotations[ANNOTATION.recreated];
  if (note === undefined) return entries;
  const planned = new Map(note.split(',').map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
  return entries.map((entry) => {
    const plannedUid = entry.uid === undefined ? undefined : planned.get(entry.uid);
    return plannedUid === undefined ? entry : { ...entry, plannedUid };
  });
}
