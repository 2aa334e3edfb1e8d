import type { ObjectAddress } from '@/lib/kube/object';
import { toAddress, toObjectId } from '@/lib/kube/object';
import type { Cluster, Person } from '@/server/kube';
import { KubeApiError } from '@/server/kube';

/** What the cluster refuses to take from the engines: an object, and whether already when it is tried without effect. */
export interface Refusal {
  readonly id: string;
  readonly alsoTried: boolean;
}

type Call = (...args: readonly unknown[]) => Promise<unknown>;

const WRITES: readonly string[] = ['create', 'update', 'patch'];
const COUNTED: readonly string[] = ['get', 'delete', ...WRITES];

/** The connection of the engines, which a run can cut at any request, and over which it can have writes refused. */
export class Connection {
  refusal: Refusal | undefined;
  #left = Number.POSITIVE_INFINITY;
  #arrives = false;
  #isCut = false;

  /** Cuts it at the n-th request from now on, which arrives or does not. */
  cutAt(nth: number, arrives: boolean): void {
    this.#left = nth;
    this.#arrives = arrives;
  }

  repair(): void {
    this.#left = Number.POSITIVE_INFINITY;
    this.#isCut = false;
  }

  /** A cluster as it is seen through this connection. */
  over(cluster: Cluster): Cluster {
    return new Proxy(cluster, {
      get: (target, member) => {
        const value: unknown = Reflect.get(target, member);
        if (member === 'as') return (person: Person) => this.over(target.as(person));
        if (typeof member !== 'string' || !COUNTED.includes(member) || typeof value !== 'function') return value;
        return (...args: readonly unknown[]) => this.#pass(member, args, (...all) => Reflect.apply(value, target, all));
      },
    });
  }

  async #pass(verb: string, args: readonly unknown[], call: Call): Promise<unknown> {
    const isLast = --this.#left === 0;
    if (isLast && !this.#arrives) this.#isCut = true;
    this.#check();
    if (WRITES.includes(verb)) this.#refuse(args);
    const answer = await call(...args);
    if (isLast) this.#isCut = true;
    this.#check();
    return answer;
  }

  #check(): void {
    if (this.#isCut) throw new Error('the connection was cut');
  }

  #refuse(args: readonly unknown[]): void {
    if (this.refusal === undefined) return;
    const [what] = args;
    const options = args.at(-1) as { readonly dryRun?: boolean } | undefined; // of every write the last
    const at = 'metadata' in (what as object) ? toAddress(what as Parameters<typeof toAddress>[0]) : (what as ObjectAddress); // an object or an address
    if (toObjectId(at) !== this.refusal.id || (options?.dryRun === true && !this.refusal.alsoTried)) return;
    throw new KubeApiError({ code: 403, reason: 'Forbidden', message: 'admission webhook "guard.example.dev" denied the request' });
  }
}
