import { z } from 'zod';
import { errorBody } from '@/lib/contract/requests';
import type { Route } from './route';

/** The description of the API, made from the schemas that check it. */
export function toOpenApi(routes: readonly Route[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: toOperation(route) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Slipway', version: '1', description: 'Reads and commands of the console. Live rows come over the socket at /socket.io/.' },
    components: {
      securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: 'slipway_session' } },
      responses: { failure: { description: 'What went wrong: a code and a sentence.', content: { 'application/json': { schema: toSchema(errorBody) } } } },
    },
    paths,
  };
}

function toOperation(route: Route): object {
  const parameters = [...toParameters(route.params, 'path'), ...toParameters(route.query, 'query')];
  const content = route.answer === undefined ? {} : { content: { 'application/json': { schema: toSchema(route.answer) } } };
  return {
    summary: route.summary,
    ...(route.anybody ? {} : { security: [{ session: [] }] }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined ? {} : { requestBody: { required: true, content: { 'application/json': { schema: toSchema(route.body) } } } }),
    responses: { [route.status]: { description: 'Done.', ...content }, default: { $ref: '#/components/responses/failure' } },
  };
}

function toParameters(schema: z.ZodType | undefined, place: 'path' | 'query'): object[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = toSchema(schema) as { properties?: Record<string, object>; required?: string[] };
  return Object.entries(properties).map(([name, member]) => ({ name, in: place, required: place === 'path' || required.includes(name), schema: member }));
}

function toSchema(schema: z.ZodType): object {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return rest;
}
