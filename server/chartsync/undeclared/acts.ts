import type { UninstallDecisionSpec } from '@/lib/contract/release-decision';
import { SECRET } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import type { AccessReviewer, Cluster } from '@/server/kube';
import { describeRight, isNoMatch, isNotFound } from '@/server/kube';
import type { LiveObjects } from '../cluster/live-objects';
import { firstMissingRight } from '../decisions/permit-rollback';
import type { HelmStorage, NewestRevision } from '../helm/storage';
import type { Identities } from '../identities';
import { fluxOwnerOf } from '../model/declared';
import type { ReleaseRef } from '../model/release';
import type { GrantPort, HelmPort, ReleaseAct } from '../ports';

/** What Helm runs around an uninstall. */
export const UNINSTALL_EVENTS = ['pre-delete', 'post-delete'];
const KEPT = 'helm.sh/resource-policy';

interface UndeclaredDeps {
  readonly helm: Pick<HelmPort, 'uninstall'>;
  readonly storage: Pick<HelmStorage, 'findNewest'>;
  readonly live: Pick<LiveObjects, 'readAt' | 'readHooksAt'>;
  readonly cluster: Cluster;
  readonly clusterFor: Identities['clusterFor'];
  readonly accountOf: Identities['accountOf'];
  readonly review: AccessReviewer;
  readonly grants: Pick<GrantPort, 'predict'>;
}

/** What is done with a release that no resource declares: as the account that the settings name in its namespace. */
export interface UndeclaredActs {
  findNewest(release: ReleaseRef): Promise<NewestRevision | undefined>;
  /** Why the server may not act on it, with the command that grants it; undefined where it may. */
  ungranted(release: ReleaseRef): Promise<string | undefined>;
  /** The resource of Flux that declares it; undefined where there is none. */
  declaredByFlux(release: ReleaseRef, revision: number): Promise<ObjectAddress | undefined>;
  /** The right on Helm's storage that a person lacks, or the first on what Helm would delete; undefined where they have them all. */
  missingRollbackRight(release: ReleaseRef, revision: number, actor: UninstallDecisionSpec['actor']): Promise<string | undefined>;
  /** The ServiceAccount as which Helm acts; null for the server. */
  account(release: ReleaseRef): string | null;
  uninstall(release: ReleaseRef): Promise<void>;
}

/** Puts the acts together. */
export function createUndeclaredActs({
  helm,
  storage,
  live,
  cluster,
  clusterFor,
  accountOf,
  review,
  grants,
}: UndeclaredDeps): UndeclaredActs {
  return {
    findNewest: (release) => storage.findNewest(release),
    ungranted: (release) => grants.predict(actOn(release)),
    async declaredByFlux(release, revision) {
      const owners = (await live.readAt(release, revision)).map(({ metadata }) => fluxOwnerOf(metadata, release.namespace));
      const at = owners.find((owner) => owner !== undefined);
      if (at === undefined) return undefined;
      return cluster.get(at).then(
        () => at,
        (error: unknown) => {
          if (isNotFound(error) || isNoMatch(error)) return undefined;
          throw error;
        },
      );
    },
    async missingRollbackRight(release, revision, actor) {
      const stored = { verb: 'update', group: '', resource: 'secrets', namespace: release.namespace };
      if (!(await review({ user: actor.user, groups: actor.groups ?? [] }, stored))) return describeRight(stored);
      const deleted = (await live.readAt(release, revision)).filter((object) => !isKept(object));
      const hooks = await live.readHooksAt(release, revision, UNINSTALL_EVENTS);
      const wanted = [
        ...deleted.map((object) => ({ object, verb: 'delete' })),
        // What is left of an earlier run is deleted first.
        ...hooks.flatMap((object) => ['create', 'delete'].map((verb) => ({ object, verb }))),
        { object: { ...SECRET, metadata: { namespace: release.namespace } }, verb: 'delete' },
      ];
      return firstMissingRight(wanted, { act: actOn(release), actor, deps: { clusterFor, review } });
    },
    account: (release) => accountOf(actOn(release).onBehalfOf) ?? null,
    uninstall: (release) => helm.uninstall(actOn(release)),
  };
}

/** Whether the chart says that an object stays when its release goes. */
export function isKept({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[KEPT]?.trim().toLowerCase() === 'keep';
}

/** Acting on a release that no resource declares: there is no resource that could name an account. */
export function actOn(release: ReleaseRef): ReleaseAct {
  return { release, onBehalfOf: { namespace: release.namespace, account: undefined } };
}
