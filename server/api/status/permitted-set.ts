import { AppError, isAppError } from '@/lib/contract/app-error';
import type { StatusReference } from '@/lib/contract/object-statuses';
import { groupOf } from '@/lib/kube/object';
import { inParallel } from '@/lib/std/in-parallel';
import type { Auth, Session } from '@/server/auth';
import type { Release } from '@/server/platform';
import type { Followed, ResourceStatus, Statuses, StatusSet, Verdict } from '@/server/status';
import { evaluateSet, namedSentenceOf, toIdentifierKey } from '@/server/status';
import type { Recheck } from '../route';

const AT_ONCE = 16;
const TOO_MANY = 'too many objects that you may not read, or of unknown kinds, were requested within ten seconds; try again in ten seconds';

interface Asked {
  readonly reference: StatusReference;
  readonly key: string;
  /** Why nothing is told of it; undefined where it may be seen. */
  refusal: ResourceStatus | undefined;
  followed: Followed | undefined;
  set: StatusSet | undefined;
}

interface PermittedDeps {
  readonly auth: Pick<Auth, 'authorise'>;
  readonly session: Session;
  readonly statuses: Statuses;
  /** Where objects are that name no namespace and whose kind has one. */
  readonly namespace: string;
  /** Counts an object of which nothing may be told; false once the person named too many. */
  readonly spendName: () => boolean;
}

/**
 * The statuses that somebody may see of those they ask for. One without the right, or of a kind that the cluster does not serve, is Unknown
 * with the sentence why; `check` asks anew, so that what was lost is told no more and what was granted is.
 */
export class PermittedSet implements StatusSet {
  readonly #deps: PermittedDeps;
  readonly #asked: readonly Asked[];
  readonly #byKey = new Map<string, Asked>();
  readonly #listeners = new Set<(key?: string) => void>();
  readonly #sets: StatusSet[] = [];
  /** Kept until something is different: what is judged of a list is kept by its identity. */
  #latest: readonly ResourceStatus[] | undefined;
  #isReleased = false;

  /** Asks for every right; the caller releases the set. */
  static async open(references: readonly StatusReference[], deps: PermittedDeps): Promise<PermittedSet> {
    const set = new PermittedSet(references, deps);
    await set.check();
    return set;
  }

  private constructor(references: readonly StatusReference[], deps: PermittedDeps) {
    this.#deps = deps;
    this.#asked = references.map((reference) => ({
      reference,
      key: toIdentifierKey(identifierOf(reference, reference.namespace ?? '')),
      refusal: undefined,
      followed: undefined,
      set: undefined,
    }));
    for (const one of this.#asked) this.#byKey.set(one.key, one);
  }

  get complete(): Promise<void> {
    return Promise.all(this.#sets.map((set) => set.complete)).then(() => undefined);
  }

  isComplete(): boolean {
    return this.#sets.every((set) => set.isComplete());
  }

  followed(): readonly Followed[] {
    return this.#asked.flatMap((one) => (one.refusal === undefined && one.followed ? [one.followed] : []));
  }

  statuses(): readonly ResourceStatus[] {
    this.#latest ??= this.#asked.flatMap((one) => statusOfAsked(one) ?? []);
    return this.#latest;
  }

  statusOf(key: string): ResourceStatus | undefined {
    const found = this.#byKey.get(key);
    return found && statusOfAsked(found);
  }

  evaluate(): Verdict {
    const statuses = this.statuses();
    const [only, ...others] = statuses;
    // A client may ask for more than one request takes: who is spoken of is said also where it is one.
    return only !== undefined && others.length === 0 ? { status: only.status, message: namedSentenceOf(only) } : evaluateSet(statuses);
  }

  subscribe(listener: (key?: string) => void): Release {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  release(): void {
    this.#isReleased = true;
    for (const set of this.#sets) set.release();
  }

  /** Asks for every right, of the person as they are known now. */
  async check(recheck?: Recheck): Promise<void> {
    const admitted: Asked[] = [];
    await inParallel(this.#asked, AT_ONCE, async (one) => {
      const before = one.refusal?.error?.text;
      one.refusal = await this.#ask(one, recheck);
      this.#latest = undefined;
      if (one.refusal === undefined && one.set === undefined) admitted.push(one);
      else if (before !== one.refusal?.error?.text) this.#notify(one.key);
    });
    if (admitted.length === 0 || this.#isReleased) return;
    const set = this.#deps.statuses.ofObjects(admitted.flatMap(({ followed }) => followed ?? []));
    this.#sets.push(set);
    for (const one of admitted) {
      one.set = set;
      this.#byKey.set(keyOf(one), one);
    }
    this.#latest = undefined;
    set.subscribe((key) => {
      this.#latest = undefined;
      if (key === undefined || this.#byKey.get(key)?.refusal === undefined) this.#notify(key);
    });
  }

  /** Why nothing may be told of an object; undefined where it may. */
  async #ask(one: Asked, recheck: Recheck | undefined): Promise<ResourceStatus | undefined> {
    const { auth, statuses, namespace, spendName } = this.#deps;
    const { session, notBefore } = recheck ?? { session: this.#deps.session, notBefore: undefined };
    // Whether it was given meanwhile can wait; that what was given is gone cannot.
    if (one.refusal !== undefined && !spendName()) return one.refusal;
    const { apiVersion, kind, namespace: ns = namespace, name } = one.reference;
    try {
      await auth.authorise(session, { kind: 'view-status', type: { apiVersion, kind }, ns, name }, notBefore);
      one.followed ??= await statuses.locate(one.reference, namespace);
      return undefined;
    } catch (error) {
      if (!isAppError(error) || (error.code !== 'forbidden' && error.code !== 'not-found')) throw error;
      if (recheck === undefined && !spendName()) throw new AppError('too-many', TOO_MANY, { details: { retryAfterSeconds: 10 } });
      return toRefusal(one, error);
    }
  }

  #notify(key?: string): void {
    for (const listener of this.#listeners) listener(key);
  }
}

function identifierOf({ apiVersion, kind, name }: StatusReference, namespace: string) {
  return { group: groupOf(apiVersion), kind, namespace, name };
}

const keyOf = ({ key, followed }: Asked) => (followed === undefined ? key : toIdentifierKey(followed.identifier));

function statusOfAsked(one: Asked): ResourceStatus | undefined {
  return one.refusal ?? one.set?.statusOf(keyOf(one));
}

function toRefusal({ reference, followed }: Asked, { code, message }: AppError): ResourceStatus {
  const identifier = followed?.identifier ?? identifierOf(reference, reference.namespace ?? '');
  const why = code === 'forbidden' ? ({ kind: 'api', code: 403, reason: 'Forbidden' } as const) : ({ kind: 'noMatch' } as const);
  return { identifier, status: 'Unknown', message: '', error: { ...why, text: message }, generated: [] };
}
