interface Dated {
  /** ISO text. */
  readonly at: string;
}

/**
 * Entries of the record by time, the newest first; those of one moment stay as they are. The record tells them in the order in which they were written
 * down, which for neighbours is not always that in which they happened.
 */
export function newestFirst<Entry extends Dated>(entries: readonly Entry[]): readonly Entry[] {
  return entries.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
}
