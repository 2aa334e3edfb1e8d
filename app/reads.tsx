import { headers } from 'next/headers';
import { notFound, redirect } from 'next/navigation';
import type { ReactNode } from 'react';
import type { SeedRights, SeedWindow } from '@/components/live/hydration/seed';
import { Seed } from '@/components/live/hydration/seed';
import type { Refused } from '@/components/live/live-query';
import { isAppError } from '@/lib/contract/app-error';
import { PAGE_HEADER } from '@/lib/contract/pages/page-header';
import { signInPath } from '@/lib/contract/pages/return-path';
import type { RightsOf } from '@/lib/contract/rights-of';
import type { Topic } from '@/lib/contract/topic';
import { formatTopic } from '@/lib/contract/topic';
import { showAllHidden, showHidden } from '@/lib/words/show-hidden';
import type { Reads } from '@/server/runtime';
import { runtime } from '@/server/runtime';

/** What the signed-in person may read; whoever is not signed in is sent to the sign-in page, and comes back from there to this one. */
export async function requireReads(): Promise<Reads> {
  const asked = await headers();
  const reads = await runtime().reads(asked.get('cookie'));
  return reads ?? redirect(signInPath(asked.get(PAGE_HEADER)));
}

interface SeededProps {
  readonly topics: readonly Topic[];
  /** What the acts of the page are about. */
  readonly rights?: readonly RightsOf[];
  readonly children: ReactNode;
}

/** Reads topics and rights on the server, so that the first paint of what is inside has data, and its buttons are as they stay. */
export async function Seeded({ topics, rights = [], children }: SeededProps) {
  const reads = await requireReads();
  const [read, known] = await Promise.all([
    Promise.all(topics.map((topic) => readWindow(reads, formatTopic(topic)))),
    Promise.all(rights.map((of) => readRights(reads, of))),
  ]);
  return (
    <Seed windows={read.flatMap(({ window }) => window ?? [])} refused={read.flatMap(({ refused }) => refused ?? [])} rights={known.flat()}>
      {children}
    </Seed>
  );
}

async function readRights(reads: Reads, of: RightsOf): Promise<readonly SeedRights[]> {
  const refusals = await reads.rights(of);
  return refusals === undefined ? [] : [{ of, refusals: showAllHidden(refusals) }];
}

interface FirstRead {
  readonly window?: SeedWindow;
  readonly refused?: Refused;
}

/** What may not be read is told by the page as it comes. What does not answer stays out: the view reads it itself, and says how that went. */
async function readWindow(reads: Reads, topic: string): Promise<FirstRead> {
  try {
    return { window: { topic, window: showAllHidden(await reads.snapshot(topic)) } };
  } catch (error) {
    if (!isAppError(error)) throw error;
    if (error.code === 'not-found') notFound();
    return error.code === 'forbidden'
      ? { refused: { topic, code: error.code, message: showHidden(error.message), details: error.details } }
      : {};
  }
}
