/** How a Helm release stands to what declares it, the worst first. */
export const RELEASE_STATES = [
  'failed', // the last attempt failed
  'pending', // Helm's storage says that something is under way, and nothing can be released over it
  'refused', // another resource declares the same release
  'rolled-back', // the last upgrade failed and was taken back
  'drifted', // live objects differ from what was released
  'moved', // a change waits, since what it would do is not what was previewed
  'held', // a person holds it where it is
  'unknown', // nobody has compared it since this server looks, or ever
  'changing', // Helm is at work, or a new spec is about to be looked at
  'waiting', // nothing was released yet
  'suspended', // its resource says that nothing is to be done
  'in-sync',
] as const;
export type ReleaseState = (typeof RELEASE_STATES)[number];

/** Where a state stands between worst (0) and best. */
export function releaseSeverity(state: ReleaseState): number {
  return RELEASE_STATES.indexOf(state);
}

/** What one line says of a release: what keeps the loops from it, unless its own sentence tells that with what was known before. */
export function lineOf({
  state,
  waits,
  sentence,
}: {
  readonly state: ReleaseState;
  readonly waits: string | null;
  readonly sentence: string;
}): string {
  return state === 'unknown' ? sentence : (waits ?? sentence);
}
