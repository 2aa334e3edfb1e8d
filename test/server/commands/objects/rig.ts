import type { KubeObject } from '@/lib/kube/object';
import type { Session } from '@/server/auth';
import type { CommandDeps } from '@/server/commands/command-deps';
import type { EmbeddedCluster } from '@/server/embedded';
import { startEmbedded } from '@/server/embedded';
import type { Cluster } from '@/server/kube';
import { KubeApiError } from '@/server/kube';
import { createRandom, realClock, systemIds } from '@/server/platform';
import { silentLog } from '../../../support/silent-log';

export const ANN = { user: 'ann', groups: ['system:masters'], person: { user: 'ann', groups: ['system:masters'] } } as unknown as Session;

/** What a person does is written as them, and never as the server. */
const AS_NOBODY = Object.fromEntries(
  (['create', 'update', 'patch', 'delete', 'apply'] as const).map((verb) => [
    verb,
    () => Promise.reject(new Error(`${verb} was asked for as the server`)),
  ]),
);

export interface ObjectsRig extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly deps: CommandDeps;
  /** Acts that were refused by the authorising function, which allows everything unless told. */
  refuse: (act: Parameters<CommandDeps['auth']['authorise']>[1]) => Error | undefined;
  /** What the copies say that is part of another object. */
  isPartOf: CommandDeps['objectReader']['isPartOf'];
}

/** Commands about objects over an embedded cluster without controllers. */
export async function createObjectsRig(): Promise<ObjectsRig> {
  const embedded: EmbeddedCluster = await startEmbedded({
    clock: realClock,
    random: createRandom(3),
    ids: systemIds,
    log: silentLog,
    controllers: false,
  });
  const { cluster } = embedded;
  const rig: ObjectsRig = {
    cluster,
    refuse: () => undefined,
    isPartOf: () => false,
    deps: {
      cluster: { ...cluster, ...AS_NOBODY, as: () => cluster },
      clock: realClock,
      ids: systemIds,
      auth: {
        authorise: async (_session: Session, act: Parameters<CommandDeps['auth']['authorise']>[1]) => {
          const refused = rig.refuse(act);
          if (refused !== undefined) throw refused;
          return { visibility: 'all' };
        },
      },
      objectReader: {
        healthOf: () => ({ health: 'Current', message: 'as wanted', rule: 'a rule' }),
        below: () => ({ objects: [], more: 0 }),
        latest: (object: KubeObject) => object,
        isPartOf: (...asked: Parameters<ObjectsRig['isPartOf']>) => rig.isPartOf(...asked),
        applicationsOf: () => [],
        namespacesOf: ({ metadata }: KubeObject) => [metadata.namespace ?? 'default'],
        find: () => [],
      },
    } as unknown as CommandDeps,
    [Symbol.asyncDispose]: () => embedded[Symbol.asyncDispose](),
  };
  return rig;
}

export const configMap = (name: string, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name, ...metadata },
  data: { a: '1' },
});

/** How the API server refuses, or fails. */
export const refusalOf = (code: number, reason: string) => new KubeApiError({ code, reason, message: `the API server says ${reason}` });
