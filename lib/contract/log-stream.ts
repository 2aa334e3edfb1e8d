import { z } from 'zod';

/** How many containers a person follows at once, over all their tabs. */
export const MAX_FOLLOWED = 50;
/** Newest lines of each container that are read first, where nobody says how many. */
export const TAIL_LINES = 200;
export const MAX_TAIL_LINES = 20_000;
/** Longer lines are cut. */
export const MAX_LINE_BYTES = 16 * 1024;

/**
 * How a container is being read. waiting: it has not started, or starts anew · left: the person follows as many as they may ·
 * refused: it may not be read · broken: the connection is being made anew.
 */
export const LOG_SOURCE_STATES = ['opening', 'reading', 'waiting', 'ended', 'gone', 'left', 'refused', 'broken'] as const;
export type LogSourceState = (typeof LOG_SOURCE_STATES)[number];

/** A container whose log is read, or would be. */
export const logSource = z.object({
  id: z.number().int(),
  ns: z.string(),
  pod: z.string(),
  container: z.string(),
  kind: z.enum(['container', 'init', 'ephemeral']),
  revision: z.string().nullable(),
  component: z.string().nullable(),
  state: z.enum(LOG_SOURCE_STATES),
  /** Why it is so: the cluster's sentence or ours. */
  note: z.string().nullable(),
});
export type LogSource = z.infer<typeof logSource>;

/** Containers that are new, or stand otherwise than was told. */
export const logSources = z.object({
  sources: z.array(logSource),
  /** Containers that are not even listed, since there are so many. */
  unlisted: z.number().int(),
});
export type LogSources = z.infer<typeof logSources>;

/** What a line says that no container wrote. */
export const LOG_MARKS = ['joined', 'exited', 'restarted', 'gone', 'broken'] as const;

export const logLine = z.object({
  /** The source that wrote it. */
  from: z.number().int(),
  /** When, as the node wrote it; null where it wrote no time. */
  at: z.string().nullable(),
  /** As it may be shown: invisible characters, and those of terminals, are their escapes. */
  text: z.string(),
  /** Bytes that were cut off its end. */
  cut: z.number().int().optional(),
  /** What happened to the container or its pod; `text` says it. */
  mark: z.enum(LOG_MARKS).optional(),
});
export type LogLine = z.infer<typeof logLine>;

/** Lines in the order of their times. */
export const logLines = z.object({ lines: z.array(logLine) });

/** Why a stream ended: everything was read (`over`), or the session or its right is gone (`withdrawn`). */
export const logEnd = z.object({ outcome: z.enum(['over', 'withdrawn']), sentence: z.string() });
export type LogEnd = z.infer<typeof logEnd>;

/** The events of a stream of logs by name: `sources` first and whenever they stand otherwise, `lines`, at last `end`. */
export const LOG_EVENTS = { sources: logSources, lines: logLines, end: logEnd } as const;
export type LogStreamEvent =
  | { readonly event: 'sources'; readonly data: LogSources }
  | { readonly event: 'lines'; readonly data: { readonly lines: readonly LogLine[] } }
  | { readonly event: 'end'; readonly data: LogEnd };
