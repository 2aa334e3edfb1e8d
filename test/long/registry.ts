/** A long test: prints its table, writes it to docs/measured, and answers whether what it aims at is reached. */
export type LongTest = (args: readonly string[]) => Promise<boolean>;

export interface LongTestEntry {
  /** What follows the name on the command line. */
  readonly usage: string;
  readonly load: () => Promise<LongTest>;
}

/** The long tests by name. */
export const LONG_TESTS: Readonly<Record<string, LongTestEntry>> = {
  preview: { usage: '[--runs N] [--from SEED] [--processes N]', load: async () => (await import('./preview/run')).testPreview },
  charts: { usage: '[--runs N] [--from SEED]', load: async () => (await import('./charts/run')).testCharts },
  repository: { usage: '[--commits N] [--megabytes N]', load: async () => (await import('./repository/run')).testRepository },
  faults: {
    usage: '[--programs] [--step N] [--from N] | --plane [--only NAME]',
    load: async () => (await import('./faults/run')).testFaults,
  },
  day: { usage: '[--hours N] [--seed N] [--snapshots FOLDER]', load: async () => (await import('./day/run')).testDay },
  health: { usage: '--argo-cd FOLDER', load: async () => (await import('./health/run')).testHealth },
  mutants: { usage: '[FOLDER | FILE …]', load: async () => (await import('./mutants/run')).testMutants },
};
