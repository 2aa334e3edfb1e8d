import { AppError } from '@/lib/contract/app-error';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import type {
  Cluster,
  CollectionAddress,
  ListPage,
  PatchOptions,
  Person,
  RequestOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from '@/server/kube';
import { NO_CONTAINERS } from '@/server/kube';
import { yieldToEventLoop } from '@/server/platform';
import type { ApiContext, Call, Target, WriteFlags } from '../api/context';
import { unauthorized } from '../api/failures';
import type { Requests } from '../api/requests';
import type { HttpHandler } from '../http/handler';
import type { Caller } from '../rights/caller';
import { callerOf } from '../rights/caller';
import { checkImpersonation } from '../rights/impersonation';
import { createDiscovery, resourceOf } from './discovery';
import { createRawRequest } from './raw-request';

const PAGE = 500;
/** The program in whose process the cluster runs, as its User-Agent begins over HTTP. */
const OWN_AGENT = 'slipway';

export interface PortDeps {
  readonly context: ApiContext;
  readonly requests: Requests;
  readonly http: HttpHandler;
  /** The component that acts through this port, where it is one of the simulated cluster; the server itself when absent. */
  readonly agent?: string;
}

/** The in-process client: the same pipeline as over HTTP, for one caller. A caller that could not be made out is refused at every verb. */
export function createPort(deps: PortDeps, caller: Caller | undefined): Cluster {
  const { context, requests, http } = deps;
  const callWith = (options?: WriteOptions): Call => {
    if (caller === undefined) throw unauthorized();
    return { caller, warn: options?.onWarning ?? ignore, agent: deps.agent ?? OWN_AGENT };
  };
  const targetOf = (at: ObjectAddress, subresource?: string): Target => ({
    ...collectionOf(at),
    name: at.name,
    ...(subresource ? { subresource } : {}),
  });
  const collectionOf = (of: CollectionAddress): Target => {
    const resource = resourceOf(context.registry, of);
    return { resource, ...(resource.namespaced && of.namespace ? { namespace: of.namespace } : {}) };
  };
  // What the body says of itself, or the kind whose subresource it is for.
  const bodyTarget = (object: KubeObject, options: WriteOptions | undefined): Target => {
    const { name, namespace } = object.metadata;
    const resource = resourceOf(context.registry, options?.parent ?? object);
    const { subresource } = options ?? {};
    return {
      resource,
      ...(resource.namespaced && namespace ? { namespace } : {}),
      ...(name ? { name } : {}),
      ...(subresource ? { subresource } : {}),
    };
  };

  /** Requests are answered at once, so whoever sends one after another would leave nobody else a turn. */
  const start = async (options: RequestOptions | undefined): Promise<void> => {
    await yieldToEventLoop(context.clock);
    options?.signal?.throwIfAborted();
    options?.beforeSend?.();
  };

  return {
    discovery: createDiscovery(context.registry),
    async get(at, options) {
      await start(options);
      return requests.get(callWith(), targetOf(at, options?.subresource));
    },
    async *list(of, options = {}): AsyncGenerator<ListPage> {
      let next = options.continue;
      do {
        await start(options);
        const { signal: _signal, ...flags } = options;
        const page: ListPage = await requests.list(callWith(), collectionOf(of), {
          ...flags,
          limit: flags.limit ?? PAGE,
          ...(next ? { continue: next } : {}),
          ...(next ? { resourceVersion: undefined, resourceVersionMatch: undefined } : {}),
        });
        yield page;
        next = page.continue;
      } while (next !== undefined);
    }, // prettier-ignore
    watch: (of, options = {}) => ({
      [Symbol.asyncIterator]: () =>
        openWatch(
          deps,
          () => callWith(),
          () => collectionOf(of),
          options,
        ),
    }), // prettier-ignore
    async create(object, options) {
      await start(options);
      return requests.create(callWith(options), bodyTarget(object, options), object, flagsOf(options));
    },
    async update(object, options) {
      await start(options);
      return requests.update(callWith(options), bodyTarget(object, options), object, flagsOf(options));
    },
    async patch(at, patch, options) {
      await start(options);
      return requests.patch(callWith(options), targetOf(at, options?.subresource), patch, flagsOf(options));
    },
    async delete(at, options = {}) {
      await start(options);
      return requests.delete(callWith(), targetOf(at), options);
    },
    async deleteCollection(of, options = {}) {
      await start(options);
      await requests.deleteCollection(callWith(), collectionOf(of), options);
    },
    request: createRawRequest(http, () => callWith().caller),
    async connect(request) {
      await start(request);
      callWith();
      throw new AppError('rejected', NO_CONTAINERS);
    },
    as: (person) => createPort(deps, caller && actAs(context, caller, person)),
  };
}

const ignore = () => undefined;

function flagsOf(options: PatchOptions | undefined): WriteFlags {
  const { dryRun, fieldValidation = 'Warn', fieldManager = '', force } = options ?? {};
  return { dryRun: dryRun === true, fieldValidation, fieldManager, ...(force ? { force } : {}) };
}

function actAs(context: ApiContext, caller: Caller, person: Person): Caller | undefined {
  if (person.token !== undefined) return context.tokens.callerOf(person.token);
  checkImpersonation(context, caller, person);
  return callerOf(person);
}

async function* openWatch(
  { requests, context: { clock } }: PortDeps,
  call: () => Call,
  target: () => Target,
  options: WatchOptions,
): AsyncGenerator<WatchEvent> {
  const { signal, onOpen, ...flags } = options;
  if (signal?.aborted) return;
  const watch = await requests.watch(call(), target(), flags);
  const drop = () => watch.drop();
  signal?.addEventListener('abort', drop, { once: true });
  try {
    onOpen?.();
    for (let next = await watch.next(); !next.done; next = await watch.next()) {
      await yieldToEventLoop(clock);
      yield next.value;
    }
  } finally {
    signal?.removeEventListener('abort', drop);
    watch.drop();
  }
}
