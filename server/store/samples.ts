import { and, asc, eq, gte, lt, lte, sql } from 'drizzle-orm';
import type { Instant } from '@/lib/std/instant';
import { toIso } from '@/lib/std/instant';
import type { Database } from './database';
import { scaleSamples } from './schema';

const BATCH = 500;

/** Bounds and figures of one revision (`namespace/revision`) at one moment. */
export interface StoredSample {
  readonly key: string;
  readonly at: string;
  readonly stageMin: number | null;
  readonly stageMax: number | null;
  readonly desired: number | null;
  readonly actual: number | null;
}

/** Scales over time. */
export interface Samples {
  append(samples: readonly StoredSample[]): Promise<void>;
  /** The newest samples of every revision, oldest first. */
  readRecent(perRevision: number): Promise<readonly StoredSample[]>;
  /** Samples of one revision within a span, oldest first. */
  readRange(key: string, from: Instant, to: Instant): Promise<readonly StoredSample[]>;
  /** Forgets samples from before a moment. */
  prune(before: Instant): Promise<void>;
}

/** Samples over a database. */
export function createSamples(database: Database): Samples {
  const { key, at, stageMin, stageMax, desired, actual } = scaleSamples;
  const columns = { key, at, stageMin, stageMax, desired, actual };
  return {
    async append(samples) {
      for (let from = 0; from < samples.length; from += BATCH) {
        await database.insert(scaleSamples).values(samples.slice(from, from + BATCH).map(toColumns));
      }
    },
    async readRecent(perRevision) {
      const age = sql<number>`row_number() over (partition by ${key} order by ${at} desc, ${scaleSamples.id} desc)`.as('age');
      const ranked = database.$with('ranked').as(database.select({ ...columns, id: scaleSamples.id, age }).from(scaleSamples));
      const rows = await database
        .with(ranked)
        .select()
        .from(ranked)
        .where(lte(ranked.age, perRevision))
        .orderBy(asc(ranked.at), asc(ranked.id));
      return rows.map(toColumns);
    },
    readRange: (wanted, from, to) =>
      database
        .select(columns)
        .from(scaleSamples)
        .where(and(eq(key, wanted), gte(at, toIso(from)), lte(at, toIso(to))))
        .orderBy(asc(at), asc(scaleSamples.id)),
    async prune(before) {
      await database.delete(scaleSamples).where(lt(at, toIso(before)));
    },
  };
}

function toColumns({ key, at, stageMin, stageMax, desired, actual }: StoredSample): StoredSample {
  return { key, at, stageMin, stageMax, desired, actual };
}
