import { createHash } from 'node:crypto';
import { isFields } from '@/lib/kube/fields';
import type { ApiContext } from '../../api/context';
import { noSuchPath } from '../../api/failures';
import type { Resource } from '../../kinds/resource';
import type { Schema } from '../../schemas/built-in';
import { SCHEMAS, schemaNameOf, VERSION } from '../../schemas/built-in';
import { jsonAnswer } from '../answers';
import type { HttpAnswer, HttpRequest } from '../handler';
import { SWAGGER_PROTOBUF, toSwaggerProtobuf } from './swagger-protobuf';

const METHODS = { get: 'get', put: 'update', patch: 'patch', delete: 'delete', post: 'create' } as const;
const PARAMETERS = ['dryRun', 'fieldManager', 'fieldValidation'];
const INFO = { title: 'Slipway, simulated Kubernetes', version: VERSION.gitVersion };

/** `/openapi/v3`, its group versions, and `/openapi/v2`. */
export function answerOpenApi({ registry }: ApiContext, request: HttpRequest, path: string): HttpAnswer {
  const resources = registry.all();
  if (path === '/openapi/v3') return jsonAnswer(200, { paths: indexOf(resources) });
  if (path === '/openapi/v2') return openApiV2(request, resources);
  const root = path.slice('/openapi/v3/'.length);
  const own = resources.filter((resource) => rootOf(resource) === root);
  if (own.length === 0) throw noSuchPath();
  return jsonAnswer(200, documentOf(own));
}

function rootOf({ group, version }: Resource): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

function indexOf(resources: readonly Resource[]): object {
  const roots = new Map<string, Resource[]>();
  for (const resource of resources) roots.set(rootOf(resource), [...(roots.get(rootOf(resource)) ?? []), resource]);
  return Object.fromEntries(
    [...roots].map(([root, own]) => {
      const known = own.map((resource) => [resource.plural, resource.custom?.schema ?? VERSION]);
      const hash = createHash('sha512').update(JSON.stringify(known)).digest('hex').toUpperCase();
      return [root, { serverRelativeURL: `/openapi/v3/${root}?hash=${hash}` }];
    }),
  );
}

/** Schemas with the paths that use them, as clients look for both. */
function documentOf(resources: readonly Resource[]): object {
  const schemas: Record<string, unknown> = {};
  const paths: Record<string, unknown> = {};
  for (const resource of resources) {
    const name = nameOf(resource);
    if (resource.custom) schemas[name] = customSchema(resource, resource.custom.schema);
    else collect(name, schemas);
    const collection = collectionOf(resource);
    paths[collection] = operations(resource, ['get', 'post']);
    paths[`${collection}/{name}`] = operations(resource, ['get', 'put', 'patch', 'delete']);
  }
  collect('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', schemas);
  return { openapi: '3.0.0', info: INFO, paths, components: { schemas } };
}

const collectionOf = (resource: Resource) =>
  `/${rootOf(resource)}${resource.namespaced ? '/namespaces/{namespace}' : ''}/${resource.plural}`;

function nameOf({ group, version, kind }: Resource): string {
  return schemaNameOf(group, version, kind) ?? `${group.split('.').reverse().join('.')}.${version}.${kind}`;
}

function operations(resource: Resource, methods: readonly (keyof typeof METHODS)[]): object {
  const { group, version, kind } = resource;
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${nameOf(resource)}` } } };
  const parameters = PARAMETERS.map((name) => ({ name, in: 'query', schema: { type: 'string' } }));
  const operation = (method: keyof typeof METHODS) => ({
    operationId: `${METHODS[method]}${version}${kind}`,
    ...(method === 'get' || method === 'delete' ? {} : { parameters }),
    responses: { 200: { description: 'OK', content } },
    'x-kubernetes-action': METHODS[method],
    'x-kubernetes-group-version-kind': { group, version, kind },
  });
  return Object.fromEntries(methods.map((method) => [method, operation(method)]));
}

/** A published schema and all it refers to, as published. */
function collect(name: string, into: Record<string, unknown>): void {
  const schema = SCHEMAS[name];
  if (schema === undefined || into[name] !== undefined) return;
  into[name] = {}; // a schema may refer to itself
  into[name] = published(schema, (other) => collect(other, into));
}

function published(schema: Schema, refer: (name: string) => void): unknown {
  const { $ref, properties, items, additionalProperties, ...plain } = schema;
  if ($ref !== undefined) refer($ref);
  const reference = $ref === undefined ? {} : { $ref: `#/components/schemas/${$ref}` };
  return {
    ...($ref !== undefined && Object.keys(plain).length > 0 ? { allOf: [reference] } : reference),
    ...plain,
    ...(properties ? { properties: Object.fromEntries(Object.entries(properties).map(([key, of]) => [key, published(of, refer)])) } : {}),
    ...(items ? { items: published(items, refer) } : {}),
    ...(additionalProperties ? { additionalProperties: published(additionalProperties, refer) } : {}),
  };
}

function customSchema({ group, version, kind }: Resource, schema: Readonly<Record<string, unknown>>): object {
  const { properties } = schema;
  const metadata = { allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }] };
  return {
    ...schema,
    properties: { ...(isFields(properties) ? properties : {}), apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata },
    'x-kubernetes-group-version-kind': [{ group, version, kind }],
  };
}

/** In JSON, or in protobuf, which Go clients want. */
function openApiV2(request: HttpRequest, resources: readonly Resource[]): HttpAnswer {
  const accept = request.headers.accept ?? '*/*';
  const isBinary = accept.includes('com.github.proto-openapi.spec.v2');
  if (!isBinary && !/json|\*\/\*/.test(accept)) return { status: 406, headers: {}, body: '' };
  const document = documentOf(resources) as { readonly components: { readonly schemas: object } };
  const definitions = JSON.parse(
    JSON.stringify(document.components.schemas).replaceAll('#/components/schemas/', '#/definitions/'),
  ) as Record<string, unknown>;
  for (const resource of resources)
    if (resource.custom) Object.assign(definitions, { [nameOf(resource)]: toV2(definitions[nameOf(resource)]) });
  const swagger = { swagger: '2.0', info: INFO, paths: Object.fromEntries(resources.map(patchOf)), definitions };
  if (!isBinary) return jsonAnswer(200, swagger);
  return { status: 200, headers: { 'content-type': SWAGGER_PROTOBUF.replace('@', '.') }, body: toSwaggerProtobuf(swagger) };
}

const BELOW = ['properties', 'items', 'additionalProperties'];
/** What the second version cannot say. */
const NOT_IN_V2 = ['allOf', 'anyOf', 'oneOf', 'not', 'default', 'nullable'];

/**
 * The schema of a definition in the second version. kubectl takes one that names fields for one that names them all, so of what keeps unknown fields a
 * cluster names none, nor of the whole object the fields that every object has; what may be null has no type.
 */
function toV2(schema: unknown): unknown {
  if (!isFields(schema)) return schema;
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const isFree = isOpen || schema.nullable === true;
  if (isOpen && schema['x-kubernetes-group-version-kind'] !== undefined)
    return without(schema, [...BELOW, 'x-kubernetes-preserve-unknown-fields']);
  const { properties, items, additionalProperties, ...rest } = without(schema, [...NOT_IN_V2, ...(isFree ? [...BELOW, 'type'] : [])]);
  return {
    ...rest,
    ...(isFields(properties) ? { properties: Object.fromEntries(Object.entries(properties).map(([name, of]) => [name, toV2(of)])) } : {}),
    ...(items === undefined ? {} : { items: toV2(items) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: toV2(additionalProperties) }),
  };
}

const without = (schema: object, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)));

// Of the paths clients look for one thing only: whether a patch of the kind takes a parameter.
function patchOf(resource: Resource): readonly [string, object] {
  const { patch } = operations(resource, ['patch']) as { readonly patch: object };
  const { responses: _none, ...operation } = patch as { readonly responses: unknown };
  const parameters = PARAMETERS.map((name) => ({ name, in: 'query', type: 'string' }));
  return [`${collectionOf(resource)}/{name}`, { patch: { ...operation, parameters } }];
}
