import type { KubeObject } from '@/lib/kube/object';
import type { Cluster, RequestOptions } from '@/server/kube';
import { linkAbort } from '@/server/platform';

/** A write was refused, or given up, because this replica may not act. */
export class NotLeadingError extends Error {
  constructor(sentence = 'this replica does not hold the Lease that the write needs') {
    super(sentence);
    this.name = 'NotLeadingError';
  }
}

/** Runs a write that it may abort when the right to write ends. */
export type WriteGuard = <Answer>(flight: AbortController, send: () => Promise<Answer>) => Promise<Answer>;

const carryFreely: WriteGuard = (_, send) => send();
const READING = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Reviews are created and never there: to ask what somebody may do changes nothing. */
const isQuestion = ({ apiVersion, kind }: KubeObject) =>
  /^auth(entication|orization)\.k8s\.io\//.test(apiVersion) && kind.endsWith('Review');

export interface FenceOptions {
  readonly carry?: WriteGuard;
  /** Why a write is refused; that no Lease is held, when absent. */
  readonly refusal?: () => string;
}

/**
 * The same cluster, but whoever may not act writes nothing, not even as another person: `mayAct` is asked when a write is
 * begun and again when it leaves, after whatever queue it waited in. Reads are never refused, nor questions about rights.
 */
export function fence(cluster: Cluster, mayAct: () => boolean, options: FenceOptions = {}): Cluster {
  const { carry = carryFreely, refusal } = options;
  const check = () => {
    if (!mayAct()) throw new NotLeadingError(refusal?.());
  };
  async function write<Options extends RequestOptions, Answer>(
    options: Options | undefined,
    send: (fenced: Options) => Promise<Answer>,
  ): Promise<Answer> {
    check();
    const { controller: flight, release } = linkAbort(options?.signal);
    const beforeSend = () => {
      options?.beforeSend?.();
      check();
    };
    try {
      const fenced = { ...options, signal: flight.signal, beforeSend } as Options & RequestOptions; // what the caller gave, two members set
      return await carry(flight, () => send(fenced));
    } finally {
      release();
    }
  }
  return {
    discovery: cluster.discovery,
    get: (at, options) => cluster.get(at, options),
    list: (of, options) => cluster.list(of, options),
    watch: (of, options) => cluster.watch(of, options),
    create: (object, options) =>
      isQuestion(object) ? cluster.create(object, options) : write(options, (fenced) => cluster.create(object, fenced)),
    update: (object, options) => write(options, (fenced) => cluster.update(object, fenced)),
    patch: (at, patch, options) => write(options, (fenced) => cluster.patch(at, patch, fenced)),
    delete: (at, options) => write(options, (fenced) => cluster.delete(at, fenced)),
    deleteCollection: (of, options) => write(options, (fenced) => cluster.deleteCollection(of, fenced)),
    request: (request) =>
      READING.has((request.method ?? 'GET').toUpperCase()) ? cluster.request(request) : write(request, (fenced) => cluster.request(fenced)),
    async connect(request) {
      check();
      return cluster.connect(request);
    },
    as: (person) => fence(cluster.as(person), mayAct, options),
  };
}
