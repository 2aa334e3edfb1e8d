/** Name of the tracker of a revision: plain concatenation, as installs of the original have it. Not injective; see `strictNames`. */
export function constructResourceTrackerName(appRevName: string, ns: string): string {
  return `${appRevName}-${ns}`;
}

/** Application a tracker name tells of: the namespace and the last dash-separated segment cut off. */
export function extractAppName(trackerName: string, ns: string): string {
  return extractAppRevisionName(trackerName, ns).split('-').slice(0, -1).join('-');
}

/** Revision a tracker name tells of: one trailing namespace cut off. */
export function extractAppRevisionName(trackerName: string, ns: string): string {
  const suffix = `-${ns}`;
  return trackerName.endsWith(suffix) ? trackerName.slice(0, -suffix.length) : trackerName;
}

/** Name of the n-th revision of an application. */
export function revisionNameOf(appName: string, revision: number): string {
  return `${appName}-v${revision}`;
}

/** Number of a revision name (`web-v12` is 12); undefined for a name that is none. */
export function revisionNumberOf(revisionName: string): number | undefined {
  const match = /^.+-v(\d+)$/.exec(revisionName) ?? /^-v(\d+)$/.exec(revisionName);
  return match?.[1] === undefined ? undefined : Number(match[1]);
}
