import { readField, readString } from '@/lib/kube/fields';
import type { KubeObject, ObjectAddress, TypeRef } from '@/lib/kube/object';
import { describeObject, groupOf, toObjectKey, versionOf } from '@/lib/kube/object';
import type {
  ApiResource,
  Cluster,
  CollectionAddress,
  Connected,
  ListPage,
  Person,
  RawAnswer,
  RawRequest,
  WatchEvent,
} from '@/server/kube';
import { KubeApiError, NoMatchError, toApiVersion } from '@/server/kube';
import type { ConnectRequest } from '@/server/kube/cluster';

/** A right as an access review asks for it. */
export interface AskedRight {
  readonly user: string;
  readonly groups: readonly string[];
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

export interface FakeCluster extends Cluster {
  /** Every write, with who made it; undefined is the server itself. */
  readonly writes: readonly {
    readonly verb: string;
    readonly object: KubeObject;
    readonly person: Person | undefined;
    readonly dryRun: boolean;
    readonly fieldManager?: string | undefined;
  }[];
  readonly asked: readonly AskedRight[];
  readonly objects: Map<string, KubeObject>;
}

export interface FakeRules {
  readonly may?: (right: AskedRight) => boolean;
  readonly tokens?: Readonly<Record<string, { readonly username: string; readonly groups: readonly string[] }>>;
  readonly namespaces?: readonly string[];
  /** What the server itself may, as a rules review tells it. */
  readonly ownRules?: readonly object[] | Error;
  readonly objects?: readonly KubeObject[];
  /** Opens connections, those of terminals. */
  readonly connect?: (request: ConnectRequest, person: Person | undefined) => Promise<Connected>;
  /** Answers raw requests, those for logs. */
  readonly request?: (raw: RawRequest, person: Person | undefined) => Promise<RawAnswer>;
  /** What a watch tells. */
  readonly watch?: (of: CollectionAddress, signal: AbortSignal | undefined) => AsyncGenerator<WatchEvent>;
  /** Thrown instead of answering a write. */
  readonly refuse?: (write: { readonly verb: string; readonly object: KubeObject; readonly dryRun: boolean }) => Error | undefined;
}

interface WriteAs {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
}

const CLUSTER_SCOPED = ['ResourceTracker', 'Namespace', 'PersistentVolume', 'CustomResourceDefinition'];

/** An API server of one map: reads and writes objects, answers reviews by rule, checks nothing else but resourceVersions. */
export function createFakeCluster(rules: FakeRules = {}): FakeCluster {
  const objects = new Map((rules.objects ?? []).map((object) => [keyOf(object, object.metadata.namespace, object.metadata.name), object]));
  for (const name of rules.namespaces ?? []) objects.set(`/Namespace ${name}`, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const writes: FakeCluster['writes'][number][] = [];
  const asked: AskedRight[] = [];
  let version = 100;

  const notFound = (at: TypeRef & { readonly name?: string; readonly namespace?: string }) =>
    new KubeApiError({ code: 404, reason: 'NotFound', message: `${describeObject({ ...at })} not found` });

  const answerReview = (object: KubeObject): KubeObject | undefined => {
    if (object.kind === 'TokenReview') {
      const user = rules.tokens?.[readString(object, 'spec', 'token') ?? ''];
      return { ...object, status: user === undefined ? { authenticated: false } : { authenticated: true, user } };
    }
    if (object.kind === 'SelfSubjectRulesReview') {
      if (rules.ownRules instanceof Error) throw rules.ownRules;
      return { ...object, status: { resourceRules: rules.ownRules ?? [] } };
    }
    return object.kind === 'SubjectAccessReview' ? answerAccess(object) : undefined;
  };

  const answerAccess = (object: KubeObject): KubeObject => {
    const path = readField(object, 'spec', 'nonResourceAttributes') as { readonly path: string; readonly verb: string } | undefined;
    const { verb, group, resource, subresource, namespace, name } = (
      path === undefined ? readField(object, 'spec', 'resourceAttributes') : { verb: path.verb, resource: path.path }
    ) as Record<string, string>;
    const right = {
      user: readString(object, 'spec', 'user') ?? '',
      groups: (readField(object, 'spec', 'groups') as string[] | undefined) ?? [],
      verb: verb ?? '',
      group: group ?? '',
      resource: resource ?? '',
      ...(subresource === undefined ? {} : { subresource }),
      namespace,
      name,
    };
    asked.push(right);
    return { ...object, status: { allowed: (rules.may ?? (() => true))(right) } };
  };

  const acting = (person: Person | undefined): Cluster => {
    const store = (verb: string, object: KubeObject, { dryRun = false, fieldManager }: WriteAs = {}): KubeObject => {
      const refused = rules.refuse?.({ verb, object, dryRun });
      if (refused !== undefined) throw refused;
      writes.push({ verb, object, person, dryRun, fieldManager });
      const name = object.metadata.name ?? `${object.metadata.generateName ?? ''}${++version}`;
      const kept = {
        ...object,
        metadata: { ...object.metadata, name, uid: object.metadata.uid ?? `uid-${name}`, resourceVersion: String(++version) },
      };
      if (!dryRun) objects.set(keyOf(kept, kept.metadata.namespace, name), kept);
      return kept;
    };
    return {
      discovery: {
        async resolve(type) {
          if (type.kind === 'Nonsense') throw new NoMatchError(type);
          return resourceOf(type);
        },
        resolveKind: async ({ group, kind, version = 'v1' }) => {
          if (kind === 'Nonsense') throw new NoMatchError({ apiVersion: version, kind });
          return resourceOf({ apiVersion: toApiVersion({ group, version }), kind });
        },
        all: async () => [],
        invalidate: () => undefined,
      },
      async get(at: ObjectAddress) {
        const found = objects.get(keyOf(at, at.namespace, at.name));
        if (found === undefined) throw notFound(at);
        return found;
      },
      async *list(of: CollectionAddress): AsyncGenerator<ListPage> {
        const items = [...objects.entries()].filter(
          ([key, object]) =>
            key.startsWith(`${groupOf(of.apiVersion)}/${of.kind} `) &&
            (of.namespace ?? object.metadata.namespace) === object.metadata.namespace,
        );
        yield { items: items.map(([, object]) => object), resourceVersion: String(version) };
      },
      async *watch(of, options) {
        if (rules.watch === undefined) throw new Error('a fake cluster has no watch');
        yield* rules.watch(of, options?.signal);
      },
      create: async (object, options) => answerReview(object) ?? store('create', object, options),
      async update(object, options) {
        const held = objects.get(keyOf(object, object.metadata.namespace, object.metadata.name));
        if (held === undefined) throw notFound({ ...object, ...(object.metadata.name ? { name: object.metadata.name } : {}) });
        if (object.metadata.resourceVersion !== undefined && object.metadata.resourceVersion !== held.metadata.resourceVersion) {
          throw new KubeApiError({
            code: 409,
            reason: 'Conflict',
            message: 'the object has been modified; please apply your changes to the latest version and try again',
          });
        }
        return store('update', object, options);
      },
      async patch(at, { body }, options) {
        const found = objects.get(keyOf(at, at.namespace, at.name));
        if (found === undefined) throw notFound(at);
        return store('patch', { ...found, ...(body as object) }, options);
      },
      async delete(at, { preconditions = {}, dryRun = false } = {}) {
        const found = objects.get(keyOf(at, at.namespace, at.name));
        if (found === undefined) throw notFound(at);
        const { uid, resourceVersion } = found.metadata;
        if ((preconditions.uid ?? uid) !== uid || (preconditions.resourceVersion ?? resourceVersion) !== resourceVersion)
          throw new KubeApiError({ code: 409, reason: 'Conflict', message: 'the preconditions do not hold' });
        const refused = rules.refuse?.({ verb: 'delete', object: found, dryRun });
        if (refused !== undefined) throw refused;
        writes.push({ verb: 'delete', object: found, person, dryRun });
        if (!dryRun) objects.delete(keyOf(at, at.namespace, at.name));
        return found;
      },
      deleteCollection: async () => undefined,
      async request(raw): Promise<RawAnswer> {
        if (rules.request === undefined) throw new Error('a fake cluster answers no raw request');
        return rules.request(raw, person);
      },
      async connect(request): Promise<Connected> {
        if (rules.connect === undefined) throw new Error('a fake cluster opens no connection');
        return rules.connect(request, person);
      },
      as: acting,
    };
  };
  return { ...acting(undefined), writes, asked, objects };
}

function keyOf(type: TypeRef, namespace: string | undefined, name: string | undefined): string {
  return `${groupOf(type.apiVersion)}/${type.kind} ${toObjectKey({ namespace, name })}`;
}

function resourceOf({ apiVersion, kind }: TypeRef): ApiResource {
  return {
    group: groupOf(apiVersion),
    version: versionOf(apiVersion),
    kind,
    plural: `${kind.toLowerCase()}s`,
    singular: kind.toLowerCase(),
    shortNames: [],
    categories: [],
    namespaced: !CLUSTER_SCOPED.includes(kind),
    verbs: ['get', 'list', 'create', 'update'],
    subresources: [],
  };
}
