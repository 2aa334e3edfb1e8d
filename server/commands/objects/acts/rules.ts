import type { ObjectAct } from '@/lib/contract/object-acts';
import { readBoolean, readNumber } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { controllerOf, groupOf } from '@/lib/kube/object';
import type { Session } from '@/server/auth';
import { holdsData } from '@/server/dispatch';
import type { CommandDeps } from '../../command-deps';
import { rolloutScaling } from '../../drift-replacement';
import { refusalReason } from '../../read-rights';

const RESTARTED = ['Deployment', 'StatefulSet', 'DaemonSet'];
const SCALED = ['Deployment', 'StatefulSet', 'ReplicaSet'];
const CLAIM = 'PersistentVolumeClaim';

/** Why a verb is not for an object, whoever asks: null where it is. */
type Rule = (deps: CommandDeps, object: KubeObject) => Promise<string | null>;

const RULES: Readonly<Record<ObjectAct, Rule>> = {
  edit: async (_deps, object) =>
    isA(object, KINDS.application)
      ? 'An Application is edited on its own page, which shows what a change does to each of its objects.'
      : null,
  restart: async (deps, object) => {
    if (!isApps(object, RESTARTED)) return `A ${object.kind} cannot be restarted: only a Deployment, StatefulSet or DaemonSet can.`;
    if (readBoolean(object.spec, 'paused') === true) return 'It is paused, so nothing would restart: resume it first.';
    return rolledOutReason(deps, object);
  },
  scale: async (deps, object) => {
    if (!isApps(object, SCALED)) return `The replicas of a ${object.kind} cannot be set here.`;
    const controller = controllerOf(object);
    if (controller !== undefined && SCALED.includes(controller.kind))
      return `${controller.kind} ${controller.name} sets its replicas: scale that.`;
    return (await rolledOutReason(deps, object)) ?? setAgainReason(deps, object);
  },
  delete: async (_deps, object) => {
    if (object.metadata.deletionTimestamp !== undefined) return 'It is already being deleted.';
    if (isA(object, KINDS.application)) return 'Delete an Application on its own page, which shows what happens to its objects.';
    if (isA(object, KINDS.resourceTracker)) return 'It records what an application applied, and is deleted with its application.';
    if (holdsData(object) && object.kind !== CLAIM)
      return `A ${object.kind} holds data or other objects, and not all of that is known here: delete it with kubectl.`;
    return null;
  },
};

/** Why a person may not do something to an object as it is: a missing right, or a rule; null where they may. */
export async function notAllowedReason(deps: CommandDeps, session: Session, verb: ObjectAct, object: KubeObject): Promise<string | null> {
  const { apiVersion, kind, metadata } = object;
  const rule = await RULES[verb](deps, object);
  if (rule !== null) return rule;
  return refusalReason(deps, session, [
    { kind: 'act-on-object', verb, type: { apiVersion, kind }, ns: metadata.namespace, name: metadata.name ?? '' },
  ]);
}

async function rolledOutReason(deps: CommandDeps, object: KubeObject): Promise<string | null> {
  const rollout = await rolloutScaling(deps.cluster, object);
  return rollout === undefined ? null : `Rollout ${rollout} moves its pods and replicas: act on the rollout, or change the application.`;
}

/** A number that an application writes comes back, whoever sets another one. */
function setAgainReason({ objectReader, desiredOf }: CommandDeps, object: KubeObject): string | null {
  const { apiVersion, kind, metadata } = object;
  for (const place of objectReader.applicationsOf(object)) {
    const wanted = desiredOf(place, {
      apiVersion,
      kind,
      name: metadata.name ?? '',
      ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
    });
    if ('uncompared' in wanted || wanted.repair.when === 'never') continue;
    const replicas = readNumber(wanted.manifest.spec, 'replicas');
    if (replicas !== undefined)
      return `Application ${place.name} sets its replicas to ${replicas}, and would do so again: change it there.`;
  }
  return null;
}

const isApps = ({ apiVersion, kind }: KubeObject, kinds: readonly string[]) => groupOf(apiVersion) === 'apps' && kinds.includes(kind);
const isA = ({ apiVersion, kind }: KubeObject, type: TypeRef) => kind === type.kind && groupOf(apiVersion) === groupOf(type.apiVersion);
