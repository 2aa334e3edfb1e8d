import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { groupOf, parseObjectKey, toObjectId, toObjectKey } from '@/lib/kube/object';
import { revisionsOfRollout } from '@/server/rollout';
import type { FactsDeps } from '../applications/application-facts';
import { statusOfApplication } from '../applications/application-facts';
import { applicationKeys } from '../cluster-view';
import type { Health } from '../live-state';
import { toLiveState } from '../live-state';

const MAX_BELOW = 500;
const MAX_DEPTH = 6;

/** An object of the copies below another one. */
export interface BelowObject {
  readonly object: KubeObject;
  readonly depth: number;
  readonly health: Health;
}

/** Names an object that something is told of. */
export interface NamedPlace extends TypeRef {
  readonly ns: string | undefined;
  readonly name: string;
}

/** What the copies and the status engine tell of any object. Who may see it is for whoever asks. */
export interface ObjectReader {
  /** The status of an object in hand, with what it owns as the copies hold it. */
  healthOf(object: KubeObject): Health;
  /** An object as the copies hold it now; itself where they hold none, or another one of its name. */
  latest(object: KubeObject): KubeObject;
  /** What an object owns, and an application holds, as far as the copies reach. */
  below(object: KubeObject): { readonly objects: readonly BelowObject[]; readonly more: number };
  /** Whether an object of the copies is the other one, is owned by it, or is part of it: of an application, or of a rollout as its workload. */
  isPartOf(root: KubeObject, of: NamedPlace): boolean;
  /** The applications that hold an object. */
  applicationsOf(object: KubeObject): readonly { readonly ns: string; readonly name: string }[];
  /** Namespaces in which something of an object lives. */
  namespacesOf(root: KubeObject): readonly string[];
  /** Objects of the copies with a part of a name, at most so many. */
  find(text: string, most: number): readonly KubeObject[];
}

/** Sees objects in the copies. */
export function createObjectReader(deps: FactsDeps): ObjectReader {
  const { view, tracked } = deps;
  const healthOf = (object: KubeObject) => statusOfApplication(object, deps) ?? deps.healthOf(object);
  const entriesOf = (application: KubeObject) =>
    tracked.trackersOf(toObjectKey(application.metadata)).flatMap(({ metadata }) => tracked.entriesOf(metadata.name ?? ''));
  const held = (application: KubeObject): readonly KubeObject[] =>
    entriesOf(application).flatMap((entry) => {
      const live = toLiveState(view, entry);
      return live.kind === 'present' ? [live.object] : [];
    });
  const childrenOf = (object: KubeObject) => {
    const owned = object.metadata.uid === undefined ? [] : view.ownedBy(object.metadata.uid);
    return isApplication(object) ? [...held(object), ...owned] : owned;
  };
  const applicationsOf = (object: KubeObject) => [...tracked.applicationsOf(object, object)];
  const below: ObjectReader['below'] = (root) => {
    const seen = new Set([idOf(root)]);
    const objects: BelowObject[] = [];
    let more = 0;
    const walk = (object: KubeObject, depth: number) => {
      for (const child of childrenOf(object)) {
        if (seen.has(idOf(child))) continue;
        seen.add(idOf(child));
        if (objects.length < MAX_BELOW) objects.push({ object: child, depth, health: healthOf(child) });
        else more++;
        if (depth < MAX_DEPTH && more === 0) walk(child, depth + 1);
      }
    };
    walk(root, 1);
    return { objects, more };
  };
  return {
    healthOf,
    latest(object) {
      const { apiVersion, kind, metadata } = object;
      const now = view.storeOfKind({ group: groupOf(apiVersion), kind })?.get(toObjectKey(metadata));
      return now !== undefined && now.metadata.uid === metadata.uid ? now : object;
    },
    below,
    applicationsOf: (object) =>
      applicationsOf(object).map((key) => {
        const { namespace = '', name } = parseObjectKey(key);
        return { ns: namespace, name };
      }),
    isPartOf(root, { ns, ...of }) {
      const store = view.storeOfKind({ group: groupOf(of.apiVersion), kind: of.kind });
      const object = store?.get(toObjectKey({ namespace: ns, name: of.name }));
      if (object === undefined) return false;
      const lineage = view.lineage(object);
      if (lineage.some(({ metadata }) => metadata.uid === root.metadata.uid)) return true;
      if (isKind(root, KINDS.rolloutOrchestrator)) {
        const revisions = revisionsOfRollout(root);
        if (lineage.some((above) => isKind(above, KINDS.deployment) && revisions.includes(toObjectKey(above.metadata)))) return true;
      }
      const application = isApplication(root)
        ? toObjectKey(root.metadata)
        : isKind(root, KINDS.rolloutOrchestrator)
          ? applicationKeys(root)[0]
          : undefined;
      return application !== undefined && applicationsOf(object).includes(application);
    },
    namespacesOf(root) {
      const own = root.metadata.namespace ?? 'default';
      const others = isApplication(root) ? entriesOf(root).map(({ namespace }) => namespace ?? 'default') : [];
      return [...new Set([own, ...others])];
    },
    find(text, most) {
      const wanted = text.toLowerCase();
      const found: KubeObject[] = [];
      for (const store of view.stores()) {
        for (const object of store.list()) {
          if (object.metadata.name?.toLowerCase().includes(wanted)) found.push(object);
          if (found.length >= most * 20) break;
        }
      }
      // The whole name first, then what begins with it.
      const rank = ({ metadata: { name = '' } }: KubeObject) => (name === wanted ? 0 : name.startsWith(wanted) ? 1 : 2);
      return found.sort((a, b) => rank(a) - rank(b)).slice(0, most);
    },
  };
}

const isKind = ({ kind, apiVersion }: KubeObject, type: TypeRef) => kind === type.kind && groupOf(apiVersion) === groupOf(type.apiVersion);

const isApplication = (object: KubeObject) => isKind(object, KINDS.application);

function idOf({ apiVersion, kind, metadata: { namespace, name = '' } }: KubeObject): string {
  return toObjectId({ apiVersion, kind, namespace, name });
}
