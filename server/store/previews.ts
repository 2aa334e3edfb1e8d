import { eq, lt } from 'drizzle-orm';
import type { Instant } from '@/lib/std/instant';
import { toIso } from '@/lib/std/instant';
import type { Database } from './database';
import { previews } from './schema';

/** A preview of a change as it was shown; its text is the caller's. */
export interface PreviewRow {
  readonly digest: string;
  readonly namespace: string;
  readonly name: string;
  readonly at: string;
  readonly by: string;
  readonly base: string;
  readonly preview: string;
}

/** What was shown of changes, by the digest of its plan. */
export interface Previews {
  /** The last one that was shown of a plan is kept. */
  keep(preview: PreviewRow): Promise<void>;
  read(digest: string): Promise<PreviewRow | undefined>;
  /** Forgets what was shown before a moment. */
  prune(before: Instant): Promise<void>;
}

/** Previews over a database. */
export function createPreviews(database: Database): Previews {
  return {
    async keep({ digest, ...shown }) {
      await database
        .insert(previews)
        .values({ digest, ...shown })
        .onConflictDoUpdate({ target: previews.digest, set: shown });
    },
    async read(digest) {
      const [found] = await database.select().from(previews).where(eq(previews.digest, digest)).limit(1);
      return found;
    },
    async prune(before) {
      await database.delete(previews).where(lt(previews.at, toIso(before)));
    },
  };
}
