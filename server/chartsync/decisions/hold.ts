import type { ReleaseDecisionSpec, ReleaseVerb } from '@/lib/contract/release-decision';
import { releaseDecisionSpec } from '@/lib/contract/release-decision';
import { readField, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { Store } from '@/server/kube';

const BY_RESOURCE = 'release';
/** The verbs by which a hold begins and ends. */
const HOLDING: readonly ReleaseVerb[] = ['hold', 'rollback', 'lift'];

/** What holds a release where it is: no loop installs or upgrades it until it is lifted. */
export interface Hold {
  /** The name of the decision. */
  readonly decision: string;
  readonly by: string;
  readonly at: string;
  readonly verb: 'hold' | 'rollback';
  readonly reason: string | null;
  /** Of a rollback: the stored revision that it went back to. */
  readonly revision: number | null;
}

/** Declares how decisions are found by the uid of the resource that they are about. */
export function indexByResource(store: Store): void {
  store.addIndex(BY_RESOURCE, (object) => {
    const uid = readString(object, 'spec', 'releaseRef', 'uid');
    return uid === undefined ? [] : [uid];
  });
}

/** The decisions about a resource, by its uid. */
export function decisionsAbout(store: Store, uid: string): readonly KubeObject[] {
  return store.byIndex(BY_RESOURCE, uid);
}

/** What a decision says; undefined for one that cannot be read. */
export function readReleaseDecision(object: KubeObject): ReleaseDecisionSpec | undefined {
  const spec = releaseDecisionSpec.safeParse(readField(object, 'spec'));
  return spec.success ? spec.data : undefined;
}

/** Of accepted decisions the last of hold, rollback and lift counts: what holds the release, or undefined where nothing does. */
export function holdOf(decisions: readonly KubeObject[]): Hold | undefined {
  const object = lastOf(decisions);
  const spec = object && readReleaseDecision(object);
  if (object === undefined || spec === undefined || spec.verb === 'lift') return undefined;
  const at = answeredAt(object);
  const verb = spec.verb === 'rollback' ? 'rollback' : 'hold';
  return {
    decision: object.metadata.name ?? '',
    by: spec.actor.user,
    at,
    verb,
    reason: spec.reason ?? null,
    revision: spec.revision ?? null,
  };
}

/** The decision that should tell whether a release is held, where it cannot be read any more, as when its definition drops a part of it; undefined where it can. */
export function unreadableHold(decisions: readonly KubeObject[]): KubeObject | undefined {
  const object = lastOf(decisions);
  return object !== undefined && readReleaseDecision(object) === undefined ? object : undefined;
}

const answeredAt = (object: KubeObject) => readString(object, 'status', 'at') ?? '';

function lastOf(decisions: readonly KubeObject[]): KubeObject | undefined {
  const isHolding = (one: KubeObject) =>
    readString(one, 'status', 'phase') === 'Accepted' && HOLDING.some((verb) => verb === readString(one, 'spec', 'verb'));
  return decisions
    .filter(isHolding)
    .sort((a, b) => (answeredAt(a) < answeredAt(b) ? -1 : answeredAt(a) > answeredAt(b) ? 1 : 0))
    .at(-1);
}
