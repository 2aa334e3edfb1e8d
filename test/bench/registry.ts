import type { Figure } from './figure';

export type Benchmark = () => Promise<readonly Figure[]>;

/** Every benchmark by the name that `npm run bench -- NAME` takes, the short ones first. */
export const BENCHMARKS: Readonly<Record<string, () => Promise<Benchmark>>> = {
  rollout: async () => (await import('./rollout')).benchRollout,
  rollouts: async () => (await import('./rollouts')).benchRollouts,
  garbage: async () => (await import('./garbage')).benchGarbage,
  framework: async () => (await import('./framework')).benchFramework,
  status: async () => (await import('./status')).benchStatus,
  embedded: async () => (await import('./embedded')).benchEmbedded,
  readmodel: async () => (await import('./readmodel')).benchReadModel,
  logs: async () => (await import('./logs')).benchLogs,
  live: async () => (await import('./live')).benchLive,
  chartsync: async () => (await import('./chartsync')).benchChartSync,
  largechart: async () => (await import('./chart-turns')).benchChartTurns,
  dispatch: async () => (await import('./dispatch')).benchDispatch,
  apply: async () => (await import('./apply')).benchApply,
  ready: async () => (await import('./ready')).benchReady,
  exports: async () => (await import('./exports')).benchExports,
  restart: async () => (await import('./restart')).benchRestart,
  first: async () => (await import('./first-minute')).benchFirstMinute,
  graph: async () => (await import('./graph')).benchGraph,
  hands: async () => (await import('./hands')).benchHands,
  start: async () => (await import('./start')).benchStart,
};
