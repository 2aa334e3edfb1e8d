import type { Dispatcher } from 'undici';
import { groupOf, toAddress } from '@/lib/kube/object';
import type { Cluster, DeleteOptions, Discovery, PatchType, Person, RequestOptions, WriteOptions } from '../cluster';
import { KubeTransportError } from '../errors';
import { serializeExactly } from '../json-bodies';
import { createCollections } from './collections';
import { createExchange } from './exchange';
import { requirePerson, withoutIdentity } from './identity';
import type { JsonParser } from './json-parser';
import { collectionPath, describeCall, objectPath } from './paths';
import type { Call, Transport } from './transport';

/** What is created here is answered and not kept, subresources such as tokens aside. */
const REVIEWS: ReadonlySet<string> = new Set(['authentication.k8s.io', 'authorization.k8s.io']);
const PROBES = /^\/(readyz|livez|healthz)\b/;

/** Apply bodies go as JSON, which is YAML. */
const CONTENT_TYPES: Readonly<Record<PatchType, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

export interface RemoteParts {
  readonly transport: Transport;
  readonly discovery: Discovery;
  readonly parser: JsonParser;
}

/** The port over HTTP, acting as one person or, without one, as ourselves. */
export function createPort(parts: RemoteParts, person?: Person): Cluster {
  const { transport, discovery, parser } = parts;
  const exchange = createExchange(transport, discovery, person);

  return {
    discovery,
    async get(at, { signal, agent, subresource, resourceVersion } = {}) {
      const what = describeCall('get', at, at.namespace, at.name);
      const path = objectPath(await discovery.resolve(at, signal), { ...at, subresource }, { resourceVersion });
      return exchange.readObject(await exchange.send({ what, verb: 'get', method: 'GET', path, signal, agent }), what);
    },
    ...createCollections({ transport, exchange, discovery, parser, person }),
    async create(object, options = {}) {
      const { namespace, name } = object.metadata;
      const resource = await discovery.resolve(options.parent ?? object, options.signal);
      const path =
        options.subresource === undefined
          ? collectionPath(resource, namespace, writeQuery(options))
          : objectPath(resource, { namespace, name, subresource: options.subresource }, writeQuery(options));
      const what = describeCall('create', object, namespace, name);
      const storesNothing = options.dryRun === true || (options.subresource === undefined && REVIEWS.has(groupOf(object.apiVersion)));
      return exchange.write(
        { what, verb: 'create', method: 'POST', path, body: serializeExactly(object, what), storesNothing, ...callerOf(options) },
        options,
      );
    },
    async update(object, options = {}) {
      const at = toAddress(object);
      const resource = await discovery.resolve(options.parent ?? object, options.signal);
      const path = objectPath(resource, { ...at, subresource: options.subresource }, writeQuery(options));
      const what = describeCall('update', object, at.namespace, at.name);
      return exchange.write(
        {
          what,
          verb: 'update',
          method: 'PUT',
          path,
          body: serializeExactly(object, what),
          storesNothing: options.dryRun === true,
          ...callerOf(options),
        },
        options,
      );
    },
    async patch(at, { type, body }, options = {}) {
      const query = { ...writeQuery(options), force: type === 'apply' && options.force ? true : undefined };
      const path = objectPath(
        await discovery.resolve(options.parent ?? at, options.signal),
        { ...at, subresource: options.subresource },
        query,
      );
      const what = describeCall('patch', at, at.namespace, at.name);
      const call = {
        what,
        verb: 'patch',
        method: 'PATCH',
        path,
        body: serializeExactly(body, what),
        type: CONTENT_TYPES[type],
        storesNothing: options.dryRun === true,
        ...callerOf(options),
      };
      return exchange.write(call, options);
    },
    async delete(at, options = {}) {
      const what = describeCall('delete', at, at.namespace, at.name);
      const path = objectPath(await discovery.resolve(at, options.signal), at);
      return exchange.readObject(
        await exchange.send({ what, verb: 'delete', method: 'DELETE', path, body: deleteBody(options), ...flightOf(options) }),
        what,
      );
    },
    async deleteCollection(of, options = {}) {
      const { labelSelector, fieldSelector } = options;
      const what = describeCall('delete', of, of.namespace);
      const path = collectionPath(await discovery.resolve(of, options.signal), of.namespace, { labelSelector, fieldSelector });
      const answer = await exchange.send({
        what,
        verb: 'deletecollection',
        method: 'DELETE',
        path,
        body: deleteBody(options),
        ...flightOf(options),
      });
      await answer.body.dump();
    },
    async request({ method = 'GET', path, headers = {}, body, signal, agent, beforeSend }) {
      const call: Call = {
        what: `${method} ${path}`,
        verb: 'raw',
        method,
        path,
        headers: { 'accept-encoding': 'identity', ...withoutIdentity(headers) },
        ...(body === undefined ? {} : { body }),
        person,
        signal,
        agent,
        beforeSend,
        lane: 'stream',
        repeatable: false,
        unthrottled: PROBES.test(path),
      };
      const answer = await transport.send(call);
      return { status: answer.statusCode, headers: answer.headers, body: readRaw(answer, call.what) };
    },
    connect({ path, protocol, signal, agent, beforeSend }) {
      const what = `the connection to ${path.split('?', 1)[0]}`;
      return transport.connect(
        { what, verb: 'connect', method: 'GET', path, person, signal, agent, beforeSend, lane: 'stream', repeatable: false },
        protocol,
      );
    },
    as(other) {
      requirePerson(other);
      return createPort(parts, other);
    },
  };
}

const ignore = () => undefined;

async function* readRaw(answer: Dispatcher.ResponseData, what: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of answer.body) yield chunk as Uint8Array; // bodies of undici give buffers
  } catch (error) {
    throw new KubeTransportError(`the answer to ${what} broke off`, { cause: error });
  } finally {
    answer.body.on('error', ignore).destroy();
  }
}

function callerOf({ signal, agent }: RequestOptions) {
  return { signal, agent };
}

function flightOf({ beforeSend, ...options }: RequestOptions) {
  return { ...callerOf(options), beforeSend };
}

function writeQuery({ fieldManager, fieldValidation, dryRun }: WriteOptions) {
  return { fieldManager, fieldValidation, dryRun: dryRun ? 'All' : undefined };
}

function deleteBody({ preconditions, propagationPolicy, gracePeriodSeconds, dryRun }: DeleteOptions): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    preconditions,
    propagationPolicy,
    gracePeriodSeconds,
    ...(dryRun ? { dryRun: ['All'] } : {}),
  });
}
