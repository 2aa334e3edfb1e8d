import { useState } from 'react';
import type { ReleaseDetail } from '@/lib/contract/release-rows';
import type { Pace } from './release-queries';

/** What a page reads of a release beside what is pushed. */
interface Readable {
  /** The release as that is read by it. */
  readonly asked: ReleaseDetail;
  /** How often what Helm does is asked for; undefined where that is as ever. */
  readonly pace: Pace | undefined;
}

/**
 * While its resource goes a release is read as it was before, and asked for again only as long as Helm is at work: with the end of
 * that it is gone, and whatever asks then is refused. A failed uninstall leaves it there.
 */
export function useLastReadable(release: ReleaseDetail): Readable {
  const [kept, setKept] = useState(release);
  const { deleting = false, state, work } = release;
  if (!deleting || state !== 'changing') {
    if (kept !== release) setKept(release);
    return { asked: release, pace: undefined };
  }
  return { asked: kept, pace: work?.kind === 'here' && work.until === null ? 'at-work' : 'never' };
}
