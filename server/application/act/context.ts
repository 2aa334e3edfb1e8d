import { messageOf } from '@/lib/contract/app-error';
import { readConditions } from '@/lib/kube/condition';
import type { KubeObject, ObjectAddress, ObjectKey } from '@/lib/kube/object';
import type { EngineDeps, StatusWriteThrottle } from '@/server/framework';
import type { EventRecorder, Grants, Store } from '@/server/kube';
import type { LiveStatus, WatchedSets } from '@/server/status';
import type { ConditionValue } from '../decide/conditions';
import type { ObjectStores } from '../observe/object-stores';
import type { ApplicationStores } from '../observe/observe';
import type { Permission } from '../permission/missing-right';
import type { RepairLog } from '../repair-log';
import type { RevertThrottle } from '../revert-throttle';
import type { ValuesKey } from '../values/values-key';

/** Who the engine is on record as. */
export const ENGINE = 'application';
/** What every write of the engine itself carries; what it dispatches is written under the dispatch's name. */
export const WRITER = { fieldManager: 'slipway.dev/application' } as const;

/** What acting on a decision needs. */
export interface ActContext {
  readonly deps: EngineDeps;
  readonly stores: ApplicationStores;
  readonly objects: ObjectStores;
  /** Secrets with values of applications. */
  readonly valueSecrets: Store;
  /** Names the Secrets for values that stand inline. */
  readonly valuesKey: ValuesKey;
  /** Key of the digest that stands in for a Secret's manifest. */
  readonly secretKey: string;
  /** The computed status by which components are judged. */
  readonly status: Pick<LiveStatus, 'evaluate'>;
  /** What applications consist of: whose status becomes another has its application looked at. */
  readonly watched: WatchedSets;
  /** Applications whose status says no more of components than how far they are on their way. */
  readonly moving: Set<ObjectKey>;
  /** Uids of decisions that are on record; the record knows them too, this only saves asking. */
  readonly recorded: Set<string>;
  /** What whoever asked for an application may have in it. */
  readonly permission: Permission;
  /** Where the server itself may write. */
  readonly grants: Grants;
  /** What is told of applications beside their conditions. */
  readonly events: EventRecorder;
  /** When counts in a status are written. */
  readonly statusThrottle: StatusWriteThrottle;
  /** What was put back lately. */
  readonly repairs: RepairLog;
  /** How soon an object that was reverted again and again is reverted the next time. */
  readonly revertPace: RevertThrottle;
  readonly signal: AbortSignal;
}

/** Puts a fact of the engine on record. */
export function record(
  { deps }: ActContext,
  fact: {
    readonly id: string;
    readonly action: string;
    readonly about: ObjectAddress;
    readonly message: string;
    readonly data?: Readonly<Record<string, unknown>>;
    /** Who did it, where that is not the engine. */
    readonly actor?: string;
  },
): Promise<void> {
  return deps.record({ at: deps.clock.now(), actor: ENGINE, ...fact });
}

/** Tells by an Event what a condition is about to say, once for each sentence. Where that may not be written, the condition tells it all the same. */
export async function warnOnce(
  { deps, events }: ActContext,
  object: KubeObject,
  { reason, message }: Omit<ConditionValue, 'status'>,
): Promise<void> {
  if (readConditions(object).some((told) => told.reason === reason && told.message === message)) return;
  await events
    .record(deps.cluster, object, { type: 'Warning', reason, message })
    .catch((error: unknown) =>
      deps.log.debug({ application: object.metadata.name, reason, error: messageOf(error) }, 'could not write the Event about a condition'),
    );
}
