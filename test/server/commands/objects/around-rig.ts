import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import type { Act } from '@/server/auth';
import type { CommandDeps, Place } from '@/server/commands/command-deps';
import { NoMatchError } from '@/server/kube';
import { refusalOf } from './rig';

/** What the copies hold below an object. */
export type Child = Partial<{ depth: number; health: object; object: KubeObject }>;

/** What a cluster and its copies hold, and what a person may. */
export interface Played {
  /** What the cluster holds, by name; an error is what it answers instead. */
  readonly held?: Readonly<Record<string, KubeObject | Error>>;
  readonly below?: readonly Child[];
  readonly more?: number;
  readonly found?: readonly KubeObject[];
  readonly refuse?: (act: Act) => Error | undefined;
  readonly reader?: object;
  readonly podsOf?: (place: Place) => unknown;
}

/** Readers of what is around an object, over objects that are played. */
export function aroundRig({ held = {}, below = [], more = 0, found = [], refuse = () => undefined, reader = {}, podsOf }: Played) {
  const asked: unknown[] = [];
  const sought: unknown[] = [];
  const get = async (at: ObjectAddress) => {
    asked.push(at);
    const object = held[at.name];
    if (object instanceof Error) throw object;
    if (object === undefined) throw refusalOf(404, 'NotFound');
    return object;
  };
  const discovery = {
    resolveKind: async ({ group, kind }: { group: string; kind: string }) => {
      if (kind === 'Gone' || group === 'metrics.k8s.io') throw new NoMatchError({ apiVersion: `${group}/v1`, kind });
      return {
        group,
        version: 'v1',
        kind,
        plural: `${kind.toLowerCase()}s`,
        namespaced: kind !== 'Node',
        shortNames: ['s'],
        verbs: ['get', 'list'],
      };
    },
    resolve: async () => undefined,
    all: async () => [],
    invalidate: () => undefined,
  };
  const cluster = { discovery, get };
  const deps = {
    cluster: { ...cluster, as: () => cluster },
    clock: { now: () => 0 },
    auth: {
      authorise: async (_session: object, act: Act) => {
        asked.push(act);
        const refused = refuse(act);
        if (refused !== undefined) throw refused;
        return { visibility: 'all' };
      },
    },
    podsOf: (place: Place) => podsOf?.(place),
    objectReader: {
      healthOf: ({ metadata: { name } }: KubeObject) => ({
        health: name?.startsWith('bad') ? 'Failed' : 'Current',
        message: `${name} is seen`,
      }),
      below: () => ({ objects: below.map((child) => ({ depth: 1, health: { health: 'Current', message: 'well' }, ...child })), more }),
      applicationsOf: () => [],
      find: (...told: unknown[]) => {
        sought.push(told);
        return found;
      },
      ...reader,
    },
  } as unknown as CommandDeps;
  return { deps, asked, sought };
}
