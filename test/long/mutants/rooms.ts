/**
 * The rooms whose mutants are counted, each with the tests that are asked about them: those of the room and the attacks on it, but for those
 * that simulate for many seconds. What loads the whole house costs ten seconds for each mutant, so the small rooms are asked about by tests of theirs.
 */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  'server/dispatch/garbage': ['test/server/dispatch/{garbage-*,production-options}.test.ts', 'test/cases/cases.test.ts'],
  'server/auth': ['test/server/auth/*.test.ts', 'test/attacks/{limits,refusals,web,withdrawn-rights}.test.ts'],
  'server/rollout': [
    'test/server/rollout/{actions,conformance,consequences,control,decide,describe,engine,forged,gates,loosening,objects,pause,policy}.test.ts',
    'test/server/rollout/{promises,quorum,scale,shared-revision,states,strictness,take-back,traps,writes}.test.ts',
    'test/cases/cases.test.ts',
  ],
  'server/application': [
    'test/server/application/{collection,components,conditions,drift,lagging,own-kinds,parse,plain-dispatch,plan,policies}.test.ts',
    'test/server/application/{object-stores,promises,render,rights,rolled-out,rollout,services,values}.test.ts',
    'test/house/{grants,permission}.test.ts',
  ],
  'server/commands': ['test/server/commands/*.test.ts', 'test/server/api/{api,application-rights,rights}.test.ts'],
  'components/rollouts': ['test/components/rollouts/*.test.{ts,tsx}'],
  'server/status/live': ['test/server/status/{cluster-adapters,contained,live-status,on-cluster,partial-list,sight,status-watcher}.test.ts'],
};

export interface Slice {
  /** A room, a folder in it or one file of it. */
  readonly path: string;
  readonly tests: readonly string[];
}

/** The slice that a person names, or each room where they name none. */
export function slicesOf(named: string | undefined): readonly Slice[] {
  if (named === undefined) return Object.entries(ROOMS).map(([path, tests]) => ({ path, tests }));
  const path = named.replace(/\/+$/, '');
  const room = Object.entries(ROOMS).find(([known]) => path === known || path.startsWith(`${known}/`));
  if (room === undefined) throw new Error(`mutants wants a folder or file of ${Object.keys(ROOMS).join(', ')}, found ${named}`);
  return [{ path, tests: room[1] }];
}
