import type { KubeObject } from '@/lib/kube/object';
import { stringifyExact } from '@/lib/std/exact-json';
import type { ApiContext, Call, Target } from '../api/context';
import type { Requests } from '../api/requests';
import type { WatchFlags } from '../api/watch';
import type { HttpAnswer, HttpRequest } from './handler';
import { parseAccept } from './tables/accept';
import { columnsOf, rowOf } from './tables/table';

interface Watching {
  readonly context: ApiContext;
  readonly requests: Requests;
  readonly call: Call;
  readonly request: HttpRequest;
  readonly target: Target;
  readonly flags: WatchFlags;
}

/** A watch as lines of JSON, for as long as it lasts. */
export async function streamWatch({ context, requests, call, request, target, flags }: Watching): Promise<HttpAnswer> {
  const watch = await requests.watch(call, target, flags);
  const accept = parseAccept(request.headers.accept);
  const shape = shaper(context, target, accept.as);

  async function* lines(): AsyncGenerator<string> {
    try {
      for (let next = await watch.next(); !next.done; next = await watch.next()) {
        const { type, object } = next.value;
        yield `${stringifyExact({ type, object: shape(object) })}\n`;
      }
    } finally {
      watch.drop();
    }
  }
  // A client that goes while nothing happens must not leave the watch behind, so the stream can be ended from outside.
  const body = lines();
  const finish = body.return.bind(body);
  body.return = (value) => {
    watch.drop();
    return finish(value);
  };
  return { status: 200, headers: { 'content-type': 'application/json', 'cache-control': 'no-cache, private' }, body };
}

function shaper({ clock }: ApiContext, { resource }: Target, as: string | undefined): (object: KubeObject) => object {
  if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') {
    return ({ metadata }) => ({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata });
  }
  if (as !== 'Table') return (object) => object;
  let isFirst = true;
  return (object) => {
    const columnDefinitions = isFirst ? columnsOf(resource) : [];
    isFirst = false;
    const { resourceVersion = '' } = object.metadata;
    return {
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion },
      columnDefinitions,
      rows: [rowOf(resource, object, undefined, clock.now())],
    };
  };
}
