import { KINDS, LABELS } from '../kinds';
import type { ObjectMeta } from '../object';

/** What an object belongs to: an object of a kind, or a tool that is only named. */
export interface ObjectOwner {
  /** Empty where a label names a tool and no object. */
  readonly kind: string;
  readonly ns: string | null;
  readonly name: string;
}

type Metadata = Pick<ObjectMeta, 'namespace' | 'labels' | 'annotations' | 'ownerReferences'>;

const MANAGED_BY = 'app.kubernetes.io/managed-by';
const ARGO = 'argocd.argoproj.io/tracking-id';
const HELM = { name: 'meta.helm.sh/release-name', namespace: 'meta.helm.sh/release-namespace' } as const;
/** Pairs of labels by which a tool says what it applied an object for. */
const LABELLED = [
  { kind: 'Kustomization', name: 'kustomize.toolkit.fluxcd.io/name', namespace: 'kustomize.toolkit.fluxcd.io/namespace' },
  { kind: 'HelmRelease', name: 'helm.toolkit.fluxcd.io/name', namespace: 'helm.toolkit.fluxcd.io/namespace' },
  { kind: 'Application', name: LABELS.appName, namespace: LABELS.appNamespace },
] as const;

/**
 * What owns an object, by its metadata alone: the controller that made it, else what a delivery tool applied it for, else any other owner, else the
 * tool that manages it. A tracker records, it owns for an application. Null where nothing says so (docs/decisions/0131-who-owns-a-row.md).
 */
export function ownerOf(metadata: Metadata): ObjectOwner | null {
  const references = (metadata.ownerReferences ?? []).filter(({ kind }) => kind !== KINDS.resourceTracker.kind);
  const referred = (reference: (typeof references)[number] | undefined) =>
    reference === undefined ? null : { kind: reference.kind, ns: metadata.namespace ?? null, name: reference.name };
  const controller = references.find((reference) => reference.controller === true);
  return referred(controller) ?? deliveredBy(metadata) ?? referred(references[0]) ?? managedBy(metadata);
}

/** The text of an owner, as addresses and rows have it: `Kustomization/flux-system/apps`, `ReplicaSet/shop/web-5d6f`, `Helm`. */
export function formatOwner({ kind, ns, name }: ObjectOwner): string {
  return [kind, ns ?? '', name].filter((part) => part !== '').join('/');
}

/** What the text of an owner stands for; the inverse of `formatOwner`. */
export function parseOwner(text: string): ObjectOwner {
  const [first = '', second, ...rest] = text.split('/');
  if (second === undefined) return { kind: '', ns: null, name: first };
  return rest.length === 0 ? { kind: first, ns: null, name: second } : { kind: first, ns: second, name: rest.join('/') };
}

function deliveredBy({ namespace, labels = {}, annotations = {} }: Metadata): ObjectOwner | null {
  for (const mark of LABELLED) {
    const name = labels[mark.name];
    if (name) return { kind: mark.kind, ns: labels[mark.namespace] ?? namespace ?? null, name };
  }
  // As Argo CD writes it: the application, of its own namespace with `namespace_` before it, then the object.
  const tracked = annotations[ARGO]?.split(':')[0];
  if (tracked) {
    const cut = tracked.indexOf('_');
    return { kind: 'Application', ns: cut < 0 ? null : tracked.slice(0, cut), name: tracked.slice(cut + 1) };
  }
  const release = annotations[HELM.name];
  return release ? { kind: 'Helm release', ns: annotations[HELM.namespace] ?? namespace ?? null, name: release } : null;
}

function managedBy({ labels = {} }: Metadata): ObjectOwner | null {
  const tool = labels[MANAGED_BY];
  return tool ? { kind: '', ns: null, name: tool } : null;
}
