import { z } from 'zod';
import { errorBody } from '@/lib/contract/pages/answers';
import type { Route } from './route';

type ToSchema = (schema: z.ZodType) => object;

/** The description of the API, made from the schemas that check it. */
export function toOpenApi(routes: readonly Route[]): object {
  const schemas: Record<string, unknown> = {};
  const toSchema: ToSchema = (schema) => toJsonSchema(schema, schemas);
  const failure = { description: 'What went wrong: a code and a sentence.', content: toContent(toSchema(errorBody)) };
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: toOperation(route, toSchema) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Slipway',
      version: '1',
      description: 'Reads and commands of the console. Live rows come over the socket at /socket.io/.',
    },
    components: {
      securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: 'slipway_session_*' } },
      responses: { failure },
      schemas,
    },
    paths,
  };
}

function toOperation(route: Route, toSchema: ToSchema): object {
  const parameters = [...toParameters(route.params, 'path', toSchema), ...toParameters(route.query, 'query', toSchema)];
  const content = { ...(route.answer && toContent(toSchema(route.answer))), ...(route.events && toEventStream(route.events, toSchema)) };
  const others = Object.entries(route.otherAnswers ?? {}).map(([status, { description, schema }]) => [
    status,
    { description, content: toContent(toSchema(schema)) },
  ]);
  return {
    summary: route.summary,
    ...(route.anybody ? {} : { security: [{ session: [] }] }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.isCalled ? { requestBody: { content: { '*/*': { schema: {} } } } } : {}),
    ...(route.isCalled || route.body === undefined ? {} : { requestBody: { required: true, content: toContent(toSchema(route.body)) } }),
    responses: {
      [route.status]: { description: 'Done.', ...(Object.keys(content).length === 0 ? {} : { content }) },
      ...Object.fromEntries(others),
      default: { $ref: '#/components/responses/failure' },
    },
  };
}

function toParameters(schema: z.ZodType | undefined, place: 'path' | 'query', toSchema: ToSchema): object[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = toSchema(schema) as { properties?: Record<string, object>; required?: string[] };
  return Object.entries(properties).map(([name, member]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: member,
  }));
}

function toContent(schema: object): object {
  return { 'application/json': { schema } };
}

/** OpenAPI knows no events: they are described as text, and their data by name beside it. */
function toEventStream(events: Readonly<Record<string, z.ZodType>>, toSchema: ToSchema): object {
  const named = Object.entries(events).map(([name, schema]) => [name, toSchema(schema)]);
  return { 'text/event-stream': { schema: { type: 'string' }, 'x-events': Object.fromEntries(named) } };
}

/** The JSON Schema of a schema; what is named, since it holds itself, goes among the components. */
function toJsonSchema(schema: z.ZodType, named: Record<string, unknown>): object {
  const { $schema: _dialect, ...whole } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const { $defs = {}, ...rest } = JSON.parse(JSON.stringify(whole).replaceAll('"#/$defs/', '"#/components/schemas/')) as Record<
    string,
    unknown
  >;
  Object.assign(named, $defs);
  return rest;
}
