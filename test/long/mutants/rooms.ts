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

/** What is run at once: a room, or folders and files of one. */
export interface Slice {
  /** By which its former results are kept. */
  readonly name: string;
  readonly paths: readonly string[];
  readonly tests: readonly string[];
}

/** The folders and files that a person names, those of one room together, or each room where they name none. */
export function slicesOf(named: readonly string[]): readonly Slice[] {
  const paths = named.map((path) => path.replace(/\/+$/, ''));
  const strange = paths.find((path) => !Object.keys(ROOMS).some((room) => isWithin(path, room)));
  if (strange !== undefined) throw new Error(`mutants needs folders and files of ${Object.keys(ROOMS).join(', ')}, found ${strange}`);
  return Object.entries(ROOMS).flatMap(([room, tests]) => {
    const own = named.length === 0 ? [room] : paths.filter((path) => isWithin(path, room));
    const [only = room] = own;
    return own.length === 0 ? [] : [{ name: own.length === 1 ? only : room, paths: own, tests }];
  });
}

/** Whether a path is a folder, or in it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
