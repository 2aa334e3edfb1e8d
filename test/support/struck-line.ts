import type { Cluster, ListPage, WatchEvent } from '@/server/kube';
import { KubeTransportError } from '@/server/kube/errors';

/**
 * What happens at one call, before it or when it has arrived: the connection is cut, the engines die, or everything is killed at once, the
 * embedded cluster with them.
 */
export const STRIKES = ['cut-before', 'cut-after', 'die-before', 'die-after', 'kill-before', 'kill-after'] as const;
export type Strike = (typeof STRIKES)[number];

/** One call that left the process, and whether it changed something. */
export interface Call {
  readonly what: string;
  readonly isWrite: boolean;
  readonly succeeded: boolean;
  /** It was on its way when the cluster was killed: the folder may hold what it did. */
  readonly isUnknown: boolean;
}

/** The one line by which engines reach a cluster and the store: it counts what goes over it, and fails once where it is told to. */
export class StruckLine {
  readonly cluster: Cluster;
  readonly calls: Call[] = [];
  #count = 0;
  #strike: { readonly at: number; readonly how: Strike } | undefined;
  #isDead = false;
  #isKilled = false;

  /** Hears of the death at that very moment. */
  readonly #onDeath: (how: Strike) => void;

  constructor(cluster: Cluster, onDeath: (how: Strike) => void = () => undefined) {
    this.#onDeath = onDeath;
    this.cluster = this.#over(cluster);
  }

  /** From now on the n-th call is struck. */
  strikeAt(at: number, how: Strike): void {
    this.#count = 0;
    this.#strike = { at, how };
  }

  /** True once the process died, until another one is there. */
  get isDead(): boolean {
    return this.#isDead;
  }

  get wasStruck(): boolean {
    return this.#strike === undefined;
  }

  /** A call to the store. */
  store<Answer>(what: string, ask: () => Promise<Answer>): Promise<Answer> {
    return this.#pass(what, false, ask);
  }

  revive(): void {
    this.#isDead = false;
  }

  /** Counts a call; answers what it has to suffer. Whoever is dead gets no further. */
  #enter(): Strike | undefined {
    if (this.#isDead) throw new KubeTransportError('the process is dead');
    this.#count++;
    const strike = this.#strike;
    if (strike === undefined || this.#count < strike.at) return undefined;
    this.#strike = undefined;
    if (strike.how === 'cut-before') throw new KubeTransportError('the connection was cut before the call arrived');
    if (strike.how === 'die-before' || strike.how === 'kill-before') this.#die(strike.how);
    return strike.how;
  }

  #leave(strike: Strike | undefined): void {
    if (this.#isDead) throw new KubeTransportError('the process is dead');
    if (strike === 'die-after' || strike === 'kill-after') this.#die(strike);
    if (strike === 'cut-after') throw new KubeTransportError('the connection was cut before the answer came');
  }

  #die(how: Strike): never {
    this.#isDead = true;
    this.#isKilled = how.startsWith('kill');
    this.#onDeath(how);
    throw new KubeTransportError('the process died');
  }

  async #pass<Answer>(what: string, isWrite: boolean, ask: () => Promise<Answer>): Promise<Answer> {
    const strike = this.#enter();
    let succeeded = false;
    try {
      const answer = await ask();
      // What a killed cluster did after that moment is in no folder that is gone on with.
      succeeded = !this.#isKilled;
      this.#leave(strike);
      return answer;
    } finally {
      this.calls.push({ what, isWrite, succeeded, isUnknown: this.#isKilled });
    }
  }

  async *#stream<Piece extends ListPage | WatchEvent>(open: () => AsyncIterable<Piece>): AsyncIterable<Piece> {
    const strike = this.#enter();
    for await (const piece of open()) {
      this.#leave(strike);
      yield piece;
    }
    this.#leave(strike);
  }

  #over(cluster: Cluster): Cluster {
    const nameOf = ({
      kind,
      namespace,
      name,
    }: {
      readonly kind: string;
      readonly namespace?: string | undefined;
      readonly name?: string | undefined;
    }) => `${kind} ${namespace ?? ''}/${name ?? ''}`;
    const write = <Answer>(what: string, dryRun: boolean | undefined, ask: () => Promise<Answer>) => this.#pass(what, dryRun !== true, ask);
    return {
      discovery: cluster.discovery,
      get: (at, options) => this.#pass(`get ${nameOf(at)}`, false, () => cluster.get(at, options)),
      list: (of, options) => this.#stream(() => cluster.list(of, options)),
      watch: (of, options) => this.#stream(() => cluster.watch(of, options)),
      create: (object, options) => {
        const { metadata, kind } = object;
        return write(`create ${nameOf({ ...metadata, kind })}`, options?.dryRun, () => cluster.create(object, options));
      },
      update: (object, options) =>
        write(`update ${nameOf({ ...object.metadata, kind: object.kind })}`, options?.dryRun, () => cluster.update(object, options)),
      patch: (at, patch, options) => write(`patch ${nameOf(at)}`, options?.dryRun, () => cluster.patch(at, patch, options)),
      delete: (at, options) => write(`delete ${nameOf(at)}`, options?.dryRun, () => cluster.delete(at, options)),
      deleteCollection: (of, options) => write(`delete all ${of.kind}`, options?.dryRun, () => cluster.deleteCollection(of, options)),
      request: (request) => this.#pass(`request ${request.path}`, false, () => cluster.request(request)),
      connect: (request) => this.#pass(`connect ${request.path}`, true, () => cluster.connect(request)),
      as: (person) => this.#over(cluster.as(person)),
    };
  }
}
