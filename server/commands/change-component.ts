import { AppError } from '@/lib/contract/app-error';
import type { SavePreview } from '@/lib/contract/change-rows';
import type { ChangeRequest } from '@/lib/contract/requests';
import type { Fields } from '@/lib/kube/fields';
import { isFields, readField, readFields, readList, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject } from '@/lib/kube/object';
import { parseApplication } from '@/server/application';
import type { Session } from '@/server/auth';
import { retryOnConflict } from '@/server/kube';
import type { Accepted, CommandDeps, Place } from './command-deps';
import { applicationAt, readAs, requireEngine, toAccepted } from './command-deps';
import { refuseConflictingChange } from './conflicting-change';
import { permitContents } from './permit-contents';
import { previewChanges } from './preview-changes';
import { writeWithAudit } from './write-with-audit';

type Change = Pick<ChangeRequest, 'component' | 'image' | 'replicas'>;

/** Changes the image or the scale of one component, on the application as the person saw it. */
export async function changeComponent(
  deps: CommandDeps,
  session: Session,
  place: Place,
  request: ChangeRequest,
): Promise<Accepted | SavePreview> {
  await deps.auth.authorise(session, { kind: 'change-application', ...place });
  requireEngine(deps, 'application');
  return retryOnConflict(async () => {
    const application = await readAs(deps, session, applicationAt(place));
    if (!isAsSeen(application, request)) throw await refuseConflictingChange(deps, session, application, request.plan);
    const { next, sentences } = withChange(application, request);
    parseApplication(next);
    await permitContents(deps, session, next);
    if (request.dryRun) return previewChanges(deps, session, { next, held: application });
    const message = `${request.component}: ${sentences.join(', ')}`;
    return toAccepted(
      await writeWithAudit(deps, session, { verb: 'update', object: next, action: 'application.change', message, plan: request.plan }),
    );
  });
}

/** The spec must be the one that was seen; what an engine wrote into status meanwhile is no reason to refuse. */
function isAsSeen({ metadata }: KubeObject, { uid, generation }: ChangeRequest): boolean {
  return (uid === undefined || metadata.uid === uid) && metadata.generation === generation;
}

/** The application with one component changed, and what changes in words. Throws for what cannot be changed this way. */
export function withChange(application: KubeObject, change: Change): { readonly next: KubeObject; readonly sentences: readonly string[] } {
  const components = readList(application, 'spec', 'components');
  const at = components.findIndex((component) => readString(component, 'name') === change.component);
  const found = components[at];
  if (!isFields(found)) {
    const names = components.flatMap((component) => readString(component, 'name') ?? []).join(', ');
    throw new AppError('not-found', `${nameOf(application)} has no component ${change.component}; it has ${names}`);
  }
  if (change.image === undefined && change.replicas === undefined)
    throw new AppError('invalid', 'a change needs an image or a number of replicas, found neither');
  const sentences: string[] = [];
  let component = found;
  if (change.image !== undefined) component = withImage(component, change.image, sentences);
  if (change.replicas !== undefined) component = withReplicas(component, change.replicas, sentences);
  if (sentences.length === 0)
    throw new AppError('rejected', `component ${change.component} of ${nameOf(application)} already has these values`);
  const next = { ...application, spec: { ...readFields(application, 'spec'), components: components.with(at, component) } };
  return { next, sentences };
}

function withImage(component: Fields, image: string, sentences: string[]): Fields {
  const before = readString(component, 'properties', 'image');
  if (before === undefined) {
    throw new AppError(
      'invalid',
      `component ${component.name} is of type ${component.type}, which has no image of its own; change its manifest instead`,
    );
  }
  if (before === image) return component;
  sentences.push(`image from ${before} to ${image}`);
  return { ...component, properties: { ...readFields(component, 'properties'), image } };
}

const SCALED_TYPES = ['webservice', 'worker'];

function withReplicas(component: Fields, replicas: number, sentences: string[]): Fields {
  const traits = readList(component, 'traits');
  if (!SCALED_TYPES.includes(String(component.type))) {
    throw new AppError(
      'invalid',
      `component ${component.name} is of type ${component.type}, which has no replicas to set; change its manifest instead`,
    );
  }
  if (traits.some((trait) => readString(trait, 'type') === 'hpa')) {
    throw new AppError('invalid', `component ${component.name} is scaled by its hpa trait; change that trait's bounds instead`);
  }
  const at = traits.findIndex((trait) => readString(trait, 'type') === 'scaler');
  const before = readField(traits[at], 'properties', 'replicas');
  if (before === replicas) return component;
  sentences.push(before === undefined ? `replicas set to ${replicas}` : `replicas from ${before} to ${replicas}`);
  const scaler = { type: 'scaler', properties: { ...readFields(traits[at], 'properties'), replicas } };
  return { ...component, traits: at < 0 ? [...traits, scaler] : traits.with(at, scaler) };
}

function nameOf(application: KubeObject): string {
  return describeObject({ kind: application.kind, ...application.metadata });
}
