import { createHash } from 'node:crypto';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject, groupOf } from '@/lib/kube/object';
import { toStableJson } from '@/lib/std/stable-json';
import { ANNOTATION, LABEL } from '@/server/dispatch';
import { refuse } from '../spec/fault';
import type { ComponentScale, ComponentSpec, ParsedApplication, Rendered, RenderedWorkload, RolloutPolicy } from '../spec/model';
import { applicationPlace, componentType } from '../spec/parse';
import type { ComponentContext, ComponentDraft, Exposure } from './component-type';
import { isPropagated } from './propagated-labels';
import { toScaleAnnotations } from './staged';
import { TRAITS } from './traits';

/** What rendering depends on besides the application. */
export interface RenderContext {
  readonly revisionHash: string;
  /** Name of the platform on the objects; a server of the original reads it as a version. */
  readonly platform?: string;
}

const PLATFORM = 'slipway';
/** The name of a Job is a label of its pods, so it ends at 63 with its suffix. */
const JOB_NAME_ROOM = 54;
/** Renders an application as one of its revisions: pure, the same for the same revision at any time. */
export function render(application: ParsedApplication, revisionName: string, context: RenderContext): Rendered {
  const manifests: KubeObject[] = [];
  const workloads: Record<string, RenderedWorkload> = {};
  application.spec.components.forEach((component, at) => {
    const rendered = renderComponent(application, component, at, { revisionName, ...context });
    if (rendered.workload !== undefined) workloads[component.name] = rendered.workload;
    manifests.push(...rendered.objects);
  });
  refuseTwins(application, manifests);
  return { manifests, workloads };
}

/** Name of the workload that a component has in a revision: its own while plain, one per revision under a rollout. */
export function workloadNameOf(
  application: { readonly name: string; readonly rollout?: Pick<RolloutPolicy, 'component'> | undefined },
  component: string,
  revisionName: string,
): string {
  return application.rollout?.component === component ? `${component}${revisionName.slice(application.name.length)}` : component;
}

function renderComponent(
  application: ParsedApplication,
  component: ComponentSpec,
  at: number,
  context: RenderContext & { readonly revisionName: string },
) {
  const { name, namespace, rollout } = application;
  const staged = rollout?.component === component.name;
  const place = { ...applicationPlace(application.object), path: ['spec', 'components', at] };
  const componentContext: ComponentContext = {
    application: name,
    namespace,
    revisionName: context.revisionName,
    place,
    stagedName: staged ? workloadNameOf(application, component.name, context.revisionName) : undefined,
  };
  let draft = componentType(component, place).draft(component, componentContext);
  const marked: { object: KubeObject; trait?: string }[] = [];
  (component.traits ?? []).forEach((trait, index) => {
    const traitPlace = { ...place, path: [...place.path, 'traits', index, 'properties'] };
    const lay = Object.hasOwn(TRAITS, trait.type) ? TRAITS[trait.type] : undefined;
    if (lay === undefined)
      throw refuse(
        { ...place, path: [...place.path, 'traits', index, 'type'] },
        `must be one of ${Object.keys(TRAITS).join(', ')}, found "${trait.type}"`,
      );
    draft = lay(draft, trait.properties ?? {}, { ...componentContext, component: component.name, place: traitPlace });
  });
  draft = withJobName(draft);
  if (draft.workload !== undefined) marked.push({ object: withScale(draft.workload, draft, staged) });
  for (const object of draft.objects) marked.push({ object });
  if (draft.exposure !== undefined) {
    const { trait } = draft.exposure;
    marked.push({ object: toService(component.name, namespace, draft.exposure), ...(trait ? { trait } : {}) });
  }
  marked.push(...draft.additions);
  const assemble = createAssembler(application, component, context);
  const objects = marked.map(({ object, trait }) => assemble(object, trait));
  return { objects, workload: draft.workload && toWorkload(draft.workload, draft, staged) };
}

/** A Job cannot be changed: what runs something else is another Job, and the one before goes as whatever a revision lacks. */
function withJobName(draft: ComponentDraft): ComponentDraft {
  const { workload } = draft;
  if (workload?.kind !== 'Job') return draft;
  const content = createHash('sha256').update(toStableJson(workload.spec)).digest('hex').slice(0, 8);
  const name = `${(workload.metadata.name ?? '').slice(0, JOB_NAME_ROOM)}-${content}`;
  return { ...draft, workload: { ...workload, metadata: { ...workload.metadata, name } } };
}

function toWorkload(workload: KubeObject, draft: ComponentDraft, staged: boolean): RenderedWorkload {
  const { apiVersion, kind, metadata } = workload;
  return { apiVersion, kind, name: metadata.name ?? '', staged, scale: scaleOf(draft) };
}

function scaleOf({ replicas, autoscaled }: ComponentDraft): ComponentScale {
  return autoscaled ?? (replicas === undefined ? {} : { minScale: replicas, maxScale: replicas });
}

/** Plain workloads carry their replicas; under a rollout the figures are bounds, since only the rollout scales. */
function withScale(workload: KubeObject, draft: ComponentDraft, staged: boolean): KubeObject {
  const { replicas } = draft;
  if (staged)
    return {
      ...workload,
      metadata: { ...workload.metadata, annotations: { ...workload.metadata.annotations, ...toScaleAnnotations(scaleOf(draft)) } },
    };
  return replicas === undefined ? workload : { ...workload, spec: { replicas, ...(workload.spec as object) } };
}

function toService(component: string, namespace: string, exposure: Exposure): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: component, namespace, ...(exposure.annotations ? { annotations: exposure.annotations } : {}) },
    spec: {
      type: exposure.type,
      selector: exposure.selector ?? { [LABEL.component]: component },
      ports: exposure.ports.map((port) => ({ ...port, targetPort: port.port })),
    },
  };
}

/** Puts the application's labels and annotations, and where an object comes from, on the objects of a component. */
function createAssembler(
  application: ParsedApplication,
  component: ComponentSpec,
  context: RenderContext & { readonly revisionName: string },
) {
  const propagated = (words: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(words).filter(([name, text]) => isPropagated(name, text)));
  const annotations = propagated(application.annotations);
  const common = propagated(application.labels);
  const platform = { [ANNOTATION.platformVersion]: context.platform ?? PLATFORM };
  const ofRevision = {
    [LABEL.appName]: application.name,
    [LABEL.appNamespace]: application.namespace,
    [LABEL.component]: component.name,
    [LABEL.appRevision]: context.revisionName,
    [LABEL.appRevisionHash]: context.revisionHash,
  };
  const ofWorkload = { [LABEL.resourceType]: 'WORKLOAD', [LABEL.workloadType]: component.type };
  const toLabels = (own: KubeObject['metadata']['labels'], origin: Readonly<Record<string, string>>) => ({
    ...common,
    ...own,
    ...origin,
    ...ofRevision,
  });
  // Most objects of a component that lists thousands bring none of their own: those have the same ones.
  const usual = { labels: toLabels(undefined, ofWorkload), annotations: { ...annotations, ...platform } };
  return (object: KubeObject, trait: string | undefined): KubeObject => {
    const { labels: own, annotations: noted, namespace = application.namespace } = object.metadata;
    const isCommon = trait === undefined && own === undefined;
    const origin = trait === undefined ? ofWorkload : { [LABEL.resourceType]: 'TRAIT', [LABEL.traitType]: trait };
    const labels = isCommon ? usual.labels : toLabels(own, origin);
    const allAnnotations = noted === undefined ? usual.annotations : { ...annotations, ...noted, ...platform };
    return { ...object, metadata: { ...object.metadata, namespace, labels, annotations: allAnnotations } };
  };
}

function refuseTwins(application: ParsedApplication, manifests: readonly KubeObject[]): void {
  const seen = new Map<string, string>();
  for (const object of manifests) {
    const { name, namespace, labels } = object.metadata;
    const id = `${groupOf(object.apiVersion)}|${object.kind}|${namespace ?? ''}|${name ?? ''}`;
    const component = labels?.[LABEL.component] ?? '';
    const other = seen.get(id);
    if (other !== undefined) {
      throw refuse(
        { ...applicationPlace(application.object), path: ['spec', 'components'] },
        `must have each object once: ${other} and ${component} both have ${describeObject({ kind: object.kind, namespace, name })}`,
      );
    }
    seen.set(id, component);
  }
}
