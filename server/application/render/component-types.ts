import { z } from 'zod';
import { isFields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { LABEL } from '@/server/dispatch';
import { parseAt, refuse } from '../spec/fault';
import type { ComponentSpec } from '../spec/model';
import type { ComponentContext, ComponentDraft, ComponentType, ExposedPort } from './component-type';
import { EMPTY_DRAFT } from './component-type';
import type { ContainerParameters, ContainerPort } from './container';
import { containerParameters, toPodSpec } from './container';
import { stagedLabels } from './staged';
import { cronTask, task } from './tasks';

export const SERVICE_TYPES = ['ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName'] as const;
export const PROTOCOLS = ['TCP', 'UDP', 'SCTP'] as const;

export const webserviceParameters = z.strictObject({
  ...containerParameters,
  port: z.number().int().optional(),
  ports: z
    .array(
      z.strictObject({
        port: z.number().int().min(1).max(65_535),
        name: z.string().optional(),
        protocol: z.enum(PROTOCOLS).default('TCP'),
        expose: z.boolean().default(false),
      }),
    )
    .optional(),
  exposeType: z.enum(SERVICE_TYPES).default('ClusterIP'),
  addRevisionLabel: z.boolean().default(false),
});

export const workerParameters = z.strictObject(containerParameters);

const anyObject = z.looseObject({
  apiVersion: z.string().min(1),
  kind: z.string().min(1),
  metadata: z.looseObject({ name: z.string().min(1), namespace: z.string().optional() }),
});
export const objectsParameters = z.strictObject({ objects: z.array(anyObject).min(1) });

function propertiesPlace(context: ComponentContext, what: string) {
  return { ...context.place, path: [...context.place.path, 'properties'], what };
}

function toDeployment(
  component: ComponentSpec,
  context: ComponentContext,
  parameters: ContainerParameters,
  ports: readonly ContainerPort[],
  extra = {},
): KubeObject {
  const { name } = component;
  const identity = { [LABEL.appName]: context.application, [LABEL.component]: name };
  const staged =
    context.stagedName === undefined ? {} : { 'app.kubernetes.io/name': context.application, ...stagedLabels(context, context.stagedName) };
  const selector = {
    [LABEL.component]: name,
    ...(context.stagedName === undefined ? {} : { [LABEL.rolloutRevision]: context.stagedName }),
  };
  const template = {
    metadata: {
      labels: { ...parameters.labels, ...extra, ...identity, ...staged },
      ...(parameters.annotations ? { annotations: parameters.annotations } : {}),
    },
    spec: toPodSpec(name, parameters, ports),
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: context.stagedName ?? name, namespace: context.namespace, labels: staged },
    spec: { selector: { matchLabels: selector }, template },
  };
}

const webservice: ComponentType = {
  rollable: true,
  draft(component, context): ComponentDraft {
    const parameters = parseAt(webserviceParameters, component.properties ?? {}, propertiesPlace(context, 'a webservice'));
    const { port, ports, exposeType, addRevisionLabel, ...container } = parameters;
    const listed = ports ?? (port === undefined ? [] : [{ port, protocol: undefined, name: undefined, expose: false }]);
    const containerPorts = listed.map((one) => ({
      containerPort: one.port,
      ...(one.protocol ? { protocol: one.protocol, name: one.name ?? `port-${one.port}` } : {}),
    }));
    const exposed: ExposedPort[] = listed
      .filter((one) => one.expose)
      .map((one) => ({ name: one.name ?? `port-${one.port}`, port: one.port, ...withProtocol(one) }));
    const extra = addRevisionLabel ? { [LABEL.componentRevision]: context.revisionName } : {};
    return {
      ...EMPTY_DRAFT,
      workload: toDeployment(component, context, container, containerPorts, extra),
      exposure: exposed.length > 0 ? { ports: exposed, type: exposeType } : undefined,
    };
  },
};

function withProtocol({ protocol }: { readonly protocol?: string | undefined }): { protocol?: string } {
  return protocol === undefined || protocol === 'TCP' ? {} : { protocol };
}

const worker: ComponentType = {
  rollable: true,
  draft(component, context): ComponentDraft {
    const parameters = parseAt(workerParameters, component.properties ?? {}, propertiesPlace(context, 'a worker'));
    return { ...EMPTY_DRAFT, workload: toDeployment(component, context, parameters, []) };
  },
};

const k8sObjects: ComponentType = {
  rollable: false,
  draft(component, context): ComponentDraft {
    const place = propertiesPlace(context, 'a k8s-objects component');
    const { properties = {} } = component;
    const { objects } = areManifests(properties) ? properties : parseAt(objectsParameters, properties, place);
    objects.forEach((object, at) => {
      if ('status' in object) throw refuse(place, 'is set by the cluster and cannot be applied', ['objects', at, 'status']);
    });
    return { ...EMPTY_DRAFT, objects: objects as readonly KubeObject[] }; // the schema checked what KubeObject promises
  },
};

/** What the schema would say, told without copying each of thousands of objects; what this refuses the schema puts into words. */
function areManifests(properties: Readonly<Record<string, unknown>>): properties is { readonly objects: readonly KubeObject[] } {
  const { objects, ...others } = properties;
  return Object.keys(others).length === 0 && Array.isArray(objects) && objects.length > 0 && objects.every(isManifest);
}

function isManifest(value: unknown): boolean {
  if (!isFields(value) || !isFields(value.metadata)) return false;
  const { apiVersion, kind, metadata } = value;
  return (
    isText(apiVersion) &&
    isText(kind) &&
    isText(metadata.name) &&
    (metadata.namespace === undefined || typeof metadata.namespace === 'string')
  );
}

const isText = (value: unknown) => typeof value === 'string' && value !== '';

/** The kinds of components there are. */
export const COMPONENT_TYPES: Readonly<Record<string, ComponentType>> = {
  webservice,
  worker,
  task,
  'cron-task': cronTask,
  'k8s-objects': k8sObjects,
};
