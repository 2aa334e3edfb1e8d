import type { Replacement } from '@/lib/contract/drift-rows';
import { readString } from '@/lib/kube/fields';
import { KINDS, LABELS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress, toObjectId } from '@/lib/kube/object';
import type { Session } from '@/server/auth';
import { apply, ENGINE_MERGE_OPTIONS, holdsData, isBookkeeping } from '@/server/dispatch';
import type { Cluster } from '@/server/kube';
import { ignoreNotFound, isInvalid } from '@/server/kube';
import type { CommandDeps, Place } from './command-deps';
import { dryRunNewest } from './read-refused';
import type { ObservedDrift } from './read-visible-drift';
import { explainInvalid } from './refusal';

/** In the digest of a Secret's record, of a write that is only tried. */
const SECRET_KEY = 'drift';
/** How the API server says that a field can be written once only. */
const IMMUTABLE = /immutable|may not (be )?change|cannot change|updates to .+ (are )?forbidden/i;
const CLAIM = 'PersistentVolumeClaim';
const LONGEST_PREFIX = 40;
const MAX_OTHERS = 100;

/**
 * What replacing an object would do, where no change brings it to what is wanted; undefined where a change does, where the person may not
 * write it, and where nobody can tell. Two writes are tried as the person, without effect: that of a put-back, and when it is refused that of
 * the same object under another name, which tells a field that cannot be changed from one that is wrong.
 */
export async function findReplacement(
  deps: CommandDeps,
  session: Session,
  place: Place,
  seen: ObservedDrift,
): Promise<Replacement | undefined> {
  const { live, fields } = seen;
  if (
    live?.metadata.uid === undefined ||
    live.metadata.deletionTimestamp !== undefined ||
    fields.every(({ steps }) => isBookkeeping(steps))
  )
    return undefined;
  const why = await unchangeableReason(deps.cluster.as(session.person), seen);
  if (why === undefined) return undefined;
  const waitsFor = seen.wanted.isApplied ? [] : await othersRefused(deps, session, place, live);
  if (waitsFor === undefined) return undefined;
  return {
    why,
    uid: live.metadata.uid,
    blast: [...deps.blastRadiusOf(place, live), ...formatAfterwards(live)],
    waitsFor,
    refused: (await notReplacedReason(deps, live, seen)) ?? null,
  };
}

/** A revision is applied as a whole or not at all, so what is deleted comes back with the rest of it; undefined for what is not the application's own. */
async function othersRefused(deps: CommandDeps, session: Session, place: Place, live: KubeObject): Promise<string[] | undefined> {
  const own = toObjectId(toAddress(live));
  const { rows, changes } = await dryRunNewest(deps, session, place);
  if (!changes.has(own)) return undefined;
  const others = rows.filter(({ id }) => id !== own).slice(0, MAX_OTHERS);
  return others.map(({ kind, name, masked }) => (masked ? `a ${kind} that you may not see` : `${kind} ${name}`));
}

async function unchangeableReason(cluster: Cluster, { wanted: { manifest } }: ObservedDrift): Promise<string | undefined> {
  try {
    await apply(cluster, manifest, { dryRun: true, secretKey: SECRET_KEY, deleteReplaced: ENGINE_MERGE_OPTIONS.deleteReplaced });
    return undefined;
  } catch (error) {
    if (!isInvalid(error)) return undefined;
    const why = explainInvalid(error);
    return IMMUTABLE.test(why) || (await isValidAnew(cluster, manifest)) ? why : undefined;
  }
}

/** Whether the cluster would take the object if it were new. */
async function isValidAnew(cluster: Cluster, { metadata: { name = '', ...metadata }, ...manifest }: KubeObject): Promise<boolean> {
  try {
    await cluster.create({ ...manifest, metadata: { ...metadata, generateName: `${name.slice(0, LONGEST_PREFIX)}-` } }, { dryRun: true });
    return true;
  } catch {
    return false; // refused for whatever reason: nothing is offered on a guess
  }
}

/** Why an object is not replaced here although nothing else would help. */
async function notReplacedReason(
  { cluster }: CommandDeps,
  live: KubeObject,
  { wanted: { policy, repair } }: ObservedDrift,
): Promise<string | undefined> {
  // The data of a claim is told of before it goes; what holds the data of others, or other objects, is nobody's single object.
  if (holdsData(live) && live.kind !== CLAIM)
    return `A ${live.kind} holds data or other objects: delete it by hand, and it is created again.`;
  if (policy.readOnly) return 'The policy read-only names this object, so nothing here writes it.';
  if (repair.when === 'waits' && repair.failing !== true) return repair.why;
  if (repair.when === 'never' && !policy.keep?.includes('*')) return repair.why;
  const service = await rolloutScaling(cluster, live);
  return service === undefined
    ? undefined
    : `Rollout ${service} moves the replicas of ${live.metadata.name}: roll out a new revision instead.`;
}

/** The name of the rollout that moves the replicas of an object, where there is one. */
export async function rolloutScaling(cluster: Cluster, { metadata: { namespace = '', labels } }: KubeObject): Promise<string | undefined> {
  const service = labels?.[LABELS.rolloutService];
  const rollout =
    service === undefined ? undefined : await ignoreNotFound(cluster.get({ ...KINDS.rolloutOrchestrator, namespace, name: service }));
  return rollout === undefined ? undefined : service;
}

/** What is otherwise with the new object although it is as wanted: nothing of the old one is carried over. */
function formatAfterwards({ apiVersion, kind, spec }: KubeObject): readonly string[] {
  const address = readString(spec, 'clusterIP') ?? '';
  switch (`${apiVersion} ${kind}`) {
    case 'v1 PersistentVolumeClaim':
      return ['the new PersistentVolumeClaim starts empty: no data is copied to it'];
    case 'batch/v1 Job':
      return ['the new Job runs from the start'];
    case 'v1 Service':
      return address === '' || address === 'None' ? [] : [`its address ${address} is released`];
    default:
      return [];
  }
}
