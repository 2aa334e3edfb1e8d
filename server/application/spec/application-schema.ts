import { z } from 'zod';
import { isFields } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { rolloutPolicy } from '@/server/rollout';
import { objectsParameters, webserviceParameters, workerParameters } from '../render/component-types';
import { envSchema, resourceSchema } from '../render/container-traits';
import { gatewayParameters } from '../render/gateway';
import { hpaParameters } from '../render/hpa';
import { cronTaskSchema, taskSchema } from '../render/tasks';
import { exposeParameters, scalerParameters, words } from '../render/traits';
import { applyOnce, garbageCollect, selected } from './policies';
import { PROPERTY_HELP, TYPE_HELP } from './schema-help';

type JsonSchema = Readonly<Record<string, unknown>>;

/** The schemas that check an application, by what they check. The very ones: what is published is what is asked for. */
export const PART_SCHEMAS = {
  component: {
    webservice: webserviceParameters,
    worker: workerParameters,
    task: taskSchema,
    'cron-task': cronTaskSchema,
    'k8s-objects': objectsParameters,
  },
  trait: {
    scaler: scalerParameters,
    hpa: hpaParameters,
    expose: exposeParameters,
    gateway: gatewayParameters,
    labels: words,
    annotations: words,
    env: envSchema,
    resource: resourceSchema,
  },
  policy: {
    rollout: rolloutPolicy,
    'garbage-collect': garbageCollect,
    'apply-once': applyOnce,
    'take-over': selected,
    'read-only': selected,
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, z.ZodType>>>>;

const name = { type: 'string', pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', maxLength: 63 };
const map = { type: 'object', additionalProperties: { type: 'string' } };

/** The schema of an Application as editors read it: JSON Schema made from the schemas that check it, with a sentence for each property. */
export function applicationSchema(): JsonSchema {
  made ??= makeSchema();
  return made;
}

/** Making it takes as long as some hundred answers, and it never differs. */
let made: JsonSchema | undefined;

function makeSchema(): JsonSchema {
  const component = {
    oneOf: Object.entries(PART_SCHEMAS.component).map(([type, schema]) =>
      part('component', type, schema, {
        name: { ...name, description: 'Name of the component; its objects are named after it.' },
        traits: {
          type: 'array',
          items: { $ref: '#/$defs/trait' },
          description: 'What is added to the component: scale, ports, routes, variables.',
        },
      }),
    ),
  };
  const policy = {
    oneOf: Object.entries(PART_SCHEMAS.policy).map(([type, schema]) =>
      part('policy', type, schema, { name: { type: 'string', description: 'Name of the policy, for display only.' } }),
    ),
  };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $defs: { trait: { oneOf: Object.entries(PART_SCHEMAS.trait).map(([type, schema]) => part('trait', type, schema)) } },
    title: 'Application',
    type: 'object',
    required: ['apiVersion', 'kind', 'metadata', 'spec'],
    properties: {
      apiVersion: { const: KINDS.application.apiVersion, description: 'API version of the manifest.' },
      kind: { const: KINDS.application.kind, description: 'Kind of the manifest.' },
      metadata: {
        type: 'object',
        required: ['name', 'namespace'],
        description: 'Name, namespace, labels and annotations of the application.',
        properties: {
          name: { ...name, description: 'Name of the application; its revisions are named after it.' },
          namespace: { ...name, description: 'Namespace of the application, and of its objects unless they name another.' },
          labels: { ...map, description: 'Labels of the application; all its objects get them too.' },
          annotations: { ...map, description: 'Annotations of the application; all its objects get them too.' },
        },
      },
      spec: {
        type: 'object',
        required: ['components'],
        additionalProperties: false,
        description: 'What the application consists of and how it is delivered.',
        properties: {
          components: { type: 'array', minItems: 1, items: component, description: 'What runs. A change here creates a new revision.' },
          policies: { type: 'array', items: policy, description: 'How it is delivered. A change here creates no revision.' },
        },
      },
    },
  };
}

function part(kind: keyof typeof PART_SCHEMAS, type: string, schema: z.ZodType, more: JsonSchema = {}): JsonSchema {
  const { $schema: _dialect, ...properties } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const { name: named, ...others } = more;
  return {
    type: 'object',
    description: TYPE_HELP[`${kind} ${type}`],
    required: kind === 'component' ? ['name', 'type'] : ['type'],
    additionalProperties: false,
    properties: {
      ...(named === undefined ? {} : { name: named }),
      type: { const: type, description: `Type of the ${kind}.` },
      properties: { ...explained(properties, `${kind} ${type}`), description: TYPE_HELP[`${kind} ${type}`] },
      ...others,
    },
  };
}

/** Puts a sentence on each property of a part that does not bring its own. */
function explained(schema: JsonSchema, place: string): JsonSchema {
  if (!isFields(schema.properties)) return schema;
  const properties = Object.entries(schema.properties).map(([property, of]): [string, unknown] => {
    const description = PROPERTY_HELP[`${place} ${property}`] ?? PROPERTY_HELP[property];
    return [property, isFields(of) ? { ...(description === undefined ? {} : { description }), ...of } : of];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}
