import type { Finding } from '@/lib/contract/finding';
import { grantCommand, isNamespaceName } from '@/lib/contract/grant';
import type { ObjectAddress, ObjectKey } from '@/lib/kube/object';
import { formatCount } from '@/lib/words/figures';
import type { AccessRight } from './access-review';
import type { Discovery } from './cluster';
import { isNoMatch } from './errors';
import type { OwnRights } from './own-rights';
import { toKindRef } from './served';

/** Rights on single objects are asked about for so many at most; whoever gives more gives them for the kind. */
const MAX_NAMED = 100;

/** Something that the server would do itself. */
export interface ServerAction {
  readonly verbs: readonly string[];
  readonly object: ObjectAddress;
  /** A part of the object that is written by itself, as `scale`. */
  readonly subresource?: string;
}

/** What something waits for, in one namespace; undefined where only a ClusterRole helps. */
interface Ungranted {
  readonly namespace: string | undefined;
  readonly lacking: readonly AccessRight[];
}

/** How a namespace stands in which something is to be granted. */
export type NamespaceState = 'there' | 'absent' | 'ending';

/** What else sentences about grants are made of. */
interface GrantsOptions {
  /** The account of the settings as which charts are released. */
  readonly chartsAccount?: string | undefined;
  /** How a namespace stands; all are there when absent. */
  readonly stateOf?: (namespace: string) => NamespaceState;
}

/**
 * Whether the server itself may do what it is asked to: where it is deployed without the opt-in for the whole cluster, that is up to the owner of each
 * namespace. Few questions, whatever the number of objects; and who waits is known, for the doctor.
 */
export class Grants {
  readonly #own: OwnRights | undefined;
  readonly #noun: string;
  readonly #options: GrantsOptions;
  readonly #waiting = new Map<ObjectKey, readonly Ungranted[]>();

  /** Nothing has to be granted without `own`; `noun` is what those are that wait. */
  constructor(own: OwnRights | undefined, noun: 'application' | 'release' | 'rollout', options: GrantsOptions = {}) {
    this.#own = own;
    this.#noun = noun;
    this.#options = options;
  }

  /** Why the server may not do this yet, with the command that its owner needs; undefined when it may. Whoever asks waits until then. */
  async explain(key: ObjectKey, actions: () => readonly ServerAction[], discovery: Discovery): Promise<string | undefined> {
    const missing = await this.#missing(actions, discovery);
    if (missing.length === 0) this.#waiting.delete(key);
    else this.#waiting.set(key, missing);
    return this.#sentencesOf(missing);
  }

  /** The same of something that nobody waits for yet. */
  async predict(actions: () => readonly ServerAction[], discovery: Discovery): Promise<string | undefined> {
    return this.#sentencesOf(await this.#missing(actions, discovery));
  }

  /** Whether something was found to wait when it asked last. */
  isWaiting(key: ObjectKey): boolean {
    return this.#waiting.has(key);
  }

  /** What is gone waits for nothing. */
  forget(key: ObjectKey): void {
    this.#waiting.delete(key);
  }

  /** Each namespace that something waits for, with the command for all of it. */
  findings(): readonly Finding[] {
    const byNamespace = new Map<string | undefined, { count: number; lacking: AccessRight[] }>();
    for (const { namespace, lacking } of [...this.#waiting.values()].flat()) {
      const held = byNamespace.get(namespace) ?? { count: 0, lacking: [] };
      byNamespace.set(namespace, { count: held.count + 1, lacking: [...held.lacking, ...lacking] });
    }
    return [...byNamespace].map(([namespace, { count, lacking }]) => {
      const { why, command } = this.#tell({ namespace, lacking });
      const sentence = `${formatCount(count, this.#noun)} ${count === 1 ? 'waits' : 'wait'}: ${why}`;
      return { area: 'rights', subject: namespace ?? 'cluster-scoped objects', sentence, remedy: command };
    });
  }

  #sentencesOf(missing: readonly Ungranted[]): string | undefined {
    if (missing.length === 0) return undefined;
    return missing
      .map((one) => this.#tell(one))
      .map(({ why, command }) => (command === null ? why : `${why}: ${command}`))
      .join('; ');
  }

  /** Why it waits, and the command that ends that: a namespace that is not there has to be created first, and in one that is going nothing can be granted. */
  #tell(missing: Ungranted): { readonly why: string; readonly command: string | null } {
    const { namespace, lacking } = missing;
    const what = describeLacking(missing);
    if (namespace === undefined)
      return { why: `${what}, which are cluster-scoped: an administrator must bind a ClusterRole with these rights to it`, command: null };
    if (!isNamespaceName(namespace))
      return { why: `${what} in namespace ${JSON.stringify(namespace)}, which is not a valid namespace name`, command: null };
    const command = grantCommand(namespace, lacking, this.#options.chartsAccount);
    switch (this.#options.stateOf?.(namespace) ?? 'there') {
      case 'there':
        return { why: `${what} in namespace ${namespace} until its owner grants it`, command };
      case 'absent':
        return {
          why: `${what} in namespace ${namespace}, which does not exist: create it, and grant it`,
          command: `kubectl create namespace ${namespace} && ${command}`,
        };
      case 'ending':
        return { why: `${what} in namespace ${namespace}, which is being deleted, so nothing can be granted there`, command: null };
    }
  }

  async #missing(actions: () => readonly ServerAction[], discovery: Discovery): Promise<readonly Ungranted[]> {
    return this.#own === undefined ? [] : gather(await lackingOf(this.#own, actions(), discovery));
  }
}

interface NamedRight {
  readonly right: AccessRight;
  readonly names: Set<string>;
}

async function lackingOf(own: OwnRights, actions: readonly ServerAction[], discovery: Discovery): Promise<readonly AccessRight[]> {
  const wanted = await wantedRights(actions, discovery);
  const lacking = new Set(await own.lacks(wanted.map(({ right }) => right)));
  const short: AccessRight[] = [];
  for (const { right, names } of wanted) {
    if (!lacking.has(right)) continue;
    const isNamed = right.verb !== 'create' && names.size <= MAX_NAMED; // what is not there yet has no name to hold a right by
    if (isNamed && (await own.lacks([...names].map((name) => ({ ...right, name })))).length === 0) continue;
    // Whom it may act as is up to the owner one by one.
    if (right.verb === 'impersonate') short.push(...[...names].map((name) => ({ ...right, name })));
    else short.push(right);
  }
  return short;
}

async function wantedRights(actions: readonly ServerAction[], discovery: Discovery): Promise<readonly NamedRight[]> {
  const kinds = new Map<string, { readonly group: string; readonly resource: string; readonly namespaced: boolean } | undefined>();
  const wanted = new Map<string, NamedRight>();
  for (const { verbs, object, subresource } of actions) {
    const kind = `${object.apiVersion} ${object.kind}`;
    if (!kinds.has(kind)) kinds.set(kind, await resourceOf(object, discovery));
    const served = kinds.get(kind);
    if (served === undefined) continue;
    const { group, namespaced } = served;
    const resource = subresource === undefined ? served.resource : `${served.resource}/${subresource}`;
    const at = namespaced && object.namespace !== undefined ? { namespace: object.namespace } : {};
    for (const verb of verbs) {
      const key = `${verb} ${group} ${resource} ${at.namespace ?? ''}`;
      const held = wanted.get(key) ?? { right: { verb, group, resource, ...at }, names: new Set<string>() };
      held.names.add(object.name);
      wanted.set(key, held);
    }
  }
  return [...wanted.values()];
}

/** A kind that is served nowhere yet has no right: writing it fails with a sentence of its own. */
async function resourceOf(object: ObjectAddress, discovery: Discovery) {
  try {
    const { group, plural, namespaced } = await discovery.resolveKind(toKindRef(object));
    return { group, resource: plural, namespaced };
  } catch (error) {
    if (isNoMatch(error)) return undefined;
    throw error;
  }
}

function gather(lacking: readonly AccessRight[]): readonly Ungranted[] {
  return [...new Set(lacking.map(({ namespace }) => namespace))].map((namespace) => ({
    namespace,
    lacking: lacking.filter((right) => right.namespace === namespace),
  }));
}

function describeLacking({ lacking }: Ungranted): string {
  const resources = [...new Set(lacking.map(nameOf))].sort();
  const verbs = [...new Set(lacking.map(({ verb }) => verb))].sort();
  return `the server may not ${verbs.join(', ')} ${resources.join(', ')}`;
}

/** A resource as kubectl names it. */
function nameOf({ group, resource }: AccessRight): string {
  const [plural = '', ...part] = resource.split('/');
  return [group === '' ? plural : `${plural}.${group}`, ...part].join('/');
}
