import type { ObjectActRequest } from '@/lib/contract/object-acts';
import { readField, readNumber, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { controllerOf } from '@/lib/kube/object';
import { formatCount, formatNumber } from '@/lib/words/figures';
import type { Session } from '@/server/auth';
import { isForbidden } from '@/server/kube';
import type { CommandDeps, Place } from '../../command-deps';

const AUTOSCALER = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' } as const;
const HELM_RELEASE = 'meta.helm.sh/release-name';
/** Controllers that make another one of what goes. */
const REPLACING = ['ReplicaSet', 'StatefulSet', 'DaemonSet', 'ReplicationController', 'Deployment', 'Job'];
/** An object that no application holds. */
const NO_NAMESPACE: Place = { ns: '', name: '' };

/** What an act does to one object, a sentence each. */
export function consequencesOf(
  deps: CommandDeps,
  session: Session,
  object: KubeObject,
  request: ObjectActRequest,
): Promise<readonly string[]> {
  if (request.verb === 'delete') return Promise.resolve(ofDelete(deps, object));
  return request.verb === 'restart' ? Promise.resolve(ofRestart(object)) : ofScale(deps, session, object, request.replicas ?? 0);
}

function ofDelete(deps: CommandDeps, object: KubeObject): readonly string[] {
  const applications = deps.objectReader.applicationsOf(object);
  const [application = NO_NAMESPACE] = applications;
  const controller = controllerOf(object);
  const replaced = controller !== undefined && REPLACING.includes(controller.kind);
  const release = object.metadata.annotations?.[HELM_RELEASE];
  return [
    ...deps.blastRadiusOf(application, object),
    ...(replaced ? [`${controller.kind} ${controller.name} controls it and creates a new one`] : []),
    ...applications.map((place) => formatWanted(deps, place, object)),
    ...(release === undefined
      ? []
      : [`Helm release ${release} installed it, and creates it again only on its next upgrade or drift correction`]),
  ];
}

function formatWanted(
  { desiredOf }: CommandDeps,
  place: Place,
  { apiVersion, kind, metadata: { namespace, name = '' } }: KubeObject,
): string {
  const wanted = desiredOf(place, { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) });
  const who = `application ${place.name}`;
  if ('uncompared' in wanted) return `it is part of ${who}, which does not list it itself`;
  const { repair, policy } = wanted;
  if (policy.keep?.includes('*') || repair.when === 'never')
    return `${who} includes it, and does not create it again automatically: ${repair.why}`;
  return repair.when === 'soon'
    ? `${who} includes it, so its engine creates it again`
    : `${who} includes it, and its engine creates it again later: ${repair.why}`;
}

function ofRestart({ kind, spec }: KubeObject): readonly string[] {
  const type = readString(spec, 'strategy', 'type') ?? readString(spec, 'updateStrategy', 'type');
  const replicas = readNumber(spec, 'replicas');
  const pods =
    kind === 'DaemonSet' || replicas === undefined
      ? 'its pods'
      : replicas === 0
        ? 'no pod, since it has none,'
        : `its ${formatCount(replicas, 'pod')}`;
  if (type === 'Recreate') return [`${pods} are all stopped before new ones start`];
  if (type === 'OnDelete') return [`${pods} restart only when they are deleted: its updateStrategy is OnDelete`];
  return [`${pods} ${replicas === 1 ? 'is' : 'are'} replaced by new ones of the same template, step by step as its strategy says`];
}

async function ofScale(deps: CommandDeps, session: Session, object: KubeObject, wanted: number): Promise<readonly string[]> {
  const now = readNumber(object.spec, 'replicas') ?? 1;
  const autoscalers = await autoscalersOf(deps, session, object);
  return [
    now === wanted ? `it has ${formatCount(wanted, 'replica')} already` : `from ${formatNumber(now)} to ${formatCount(wanted, 'replica')}`,
    ...(wanted === 0 ? ['none of its pods keeps running'] : []),
    ...autoscalers.map((name) => `HorizontalPodAutoscaler ${name} scales it too, and may overwrite the number`),
  ];
}

/** Autoscalers that the person may see; who may not read them is not told of them. */
async function autoscalersOf({ cluster }: CommandDeps, session: Session, { kind, metadata }: KubeObject): Promise<readonly string[]> {
  const found: string[] = [];
  try {
    for await (const { items } of cluster.as(session.person).list({ ...AUTOSCALER, namespace: metadata.namespace ?? '' })) {
      for (const one of items) {
        const target = readField(one.spec, 'scaleTargetRef');
        if (readString(target, 'kind') === kind && readString(target, 'name') === metadata.name) found.push(one.metadata.name ?? '');
      }
    }
  } catch (error) {
    if (!isForbidden(error)) throw error;
  }
  return found;
}
