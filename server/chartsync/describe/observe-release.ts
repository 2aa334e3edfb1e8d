import { RELEASE_KIND_NAMES, RELEASE_TYPES } from '@/lib/contract/release-kind';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { Store } from '@/server/kube';
import { claimantsIn, indexByRelease } from '../cluster/resources';
import { approversOfWaiting } from '../decisions/approvals';
import { decisionsAbout, holdOf, indexByResource } from '../decisions/hold';
import { gateIn, nameOf } from '../gate/gates';
import type { StoredReleases } from '../helm/stored-releases';
import type { Identities } from '../identities';
import { nextOwnerOf, releaseOwnerOf } from '../loops/claims';
import { readDeclared } from '../model/declared';
import type { ReleaseRef } from '../model/release';
import type { OwnRepository } from '../webhooks/git-hook';
import { gitHookOf } from '../webhooks/git-hook';
import type { ReleaseObservation } from './description';
import type { ReconcileHistory } from './reconcile-history';

/** The kinds of resources that declare releases. */
export const RELEASE_KINDS = RELEASE_KIND_NAMES.map((name) => RELEASE_TYPES[name]);

/** Releases as the copies of the cluster and the loops of this process know them. */
interface ReleaseObserver {
  /** What is known of the release that an object declares. */
  observe(object: KubeObject, standing: string | null): ReleaseObservation;
  /** What was decided about it, in no order. */
  decisionsAbout(object: KubeObject): readonly KubeObject[];
  /** The resources that name the same release as an object, itself included: what is told of one hangs on the others. */
  rivalsOf(object: KubeObject): readonly ObjectAddress[];
  /** The resources that name a release of Helm. */
  declaring(release: ReleaseRef): readonly ObjectAddress[];
}

interface ObserverDeps {
  /** Copies of these kinds. */
  readonly stores: readonly Store[];
  /** Copies of the decisions about them. */
  readonly decisions: Store;
  readonly journal: Pick<ReconcileHistory, 'reconcilesOf' | 'driftOf' | 'nextFetchOf' | 'loops' | 'works'>;
  /** What Helm stored last of each. */
  readonly stored: Pick<StoredReleases, 'newestOf' | 'countOf'>;
  readonly own: OwnRepository;
  readonly identities: Pick<Identities, 'accountOf'>;
}

/** Observes releases in the watched copies of these kinds. */
export function createReleaseObserver({ stores, decisions, journal, stored, own, identities }: ObserverDeps): ReleaseObserver {
  for (const store of stores) indexByRelease(store);
  indexByResource(decisions);
  return {
    observe(object, standing) {
      const resource = readDeclared(object);
      const { at, release } = resource;
      const gate = gateIn(decisions.get(toObjectKey({ namespace: at.namespace, name: nameOf(resource.uid) })));
      const about = decisionsAbout(decisions, resource.uid);
      const loops = journal.loops();
      const work = journal.works.of(release);
      const claimants = claimantsIn(stores, release);
      const isElsewhere = loops.kind === 'elsewhere'; // what this process found while it acted may be long over
      return {
        resource,
        uid: object.metadata.uid ?? '',
        holder: releaseOwnerOf(resource, claimants)?.at,
        heir: nextOwnerOf(resource, claimants)?.at,
        account: identities.accountOf(resource.onBehalfOf) ?? null,
        webhook: gitHookOf(resource, own),
        hold: holdOf(about),
        gate,
        newest: stored.newestOf(release),
        revisions: stored.countOf(release),
        work,
        running: work?.isWaiting === true ? journal.works.slots().running : [],
        approvers: approversOfWaiting(gate, about),
        reconciles: isElsewhere ? [] : journal.reconcilesOf(at),
        drift: isElsewhere ? undefined : journal.driftOf(at),
        nextFetchAt: isElsewhere ? undefined : journal.nextFetchOf(at),
        loops,
        standing,
      };
    },
    decisionsAbout: (object) => decisionsAbout(decisions, object.metadata.uid ?? ''),
    rivalsOf: (object) => claimantsIn(stores, readDeclared(object).release).map(({ at }) => at),
    declaring: (release) => claimantsIn(stores, release).map(({ at }) => at),
  };
}
