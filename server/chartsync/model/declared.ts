import type { Fields } from '@/lib/kube/fields';
import { readFields, readList, readString } from '@/lib/kube/fields';
import { FLUX_KINDS } from '@/lib/kube/flux-kinds';
import { HELM_FINALIZER, KINDS, nameOfKind, PLAN, PLAN_ACCEPTED } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress, ObjectKey, TypeRef } from '@/lib/kube/object';
import { toAddress, toObjectKey } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { PreviewedPlan } from '@/server/kube';
import { readPlanFor } from '@/server/kube';
import { readDependsOn } from './depends-on';
import type { ExtendedSpec } from './extended-spec';
import { readExtendedSpec } from './extended-spec';
import type { Impersonation } from './impersonation';
import { readImpersonation } from './impersonation';
import { baseReleaseName, extendedReleaseName, namespaceOf } from './names';
import type { ReleaseRef } from './release';
import { releaseKey } from './release';
import type { ValuesSource } from './values-source';
import { readSecretFiles } from './values-source';

interface DeclaredMeta {
  /** The object that declares the release. */
  readonly at: ObjectAddress;
  readonly key: ObjectKey;
  readonly uid: string;
  readonly generation: number;
  /** Whether it is being deleted. */
  readonly isTerminating: boolean;
  /** Whether it stays, when it is deleted, until its release is uninstalled. */
  readonly hasFinalizer: boolean;
  /** When the resource was created; empty where that is not known. */
  readonly created: string;
  readonly release: ReleaseRef;
  readonly onBehalfOf: Impersonation;
  /** What the objects of the release are marked with. */
  readonly mark: Mark;
  /** The Secret that it names for the webhook of its repository. */
  readonly webhookSecret: string | undefined;
  readonly annotations: Readonly<Record<string, string>>;
  /** What whoever wrote the spec had seen of its consequences; undefined where nothing that they saw is of this spec. */
  readonly plan: PreviewedPlan | undefined;
  /** The newest revision that was stored when that plan was accepted, 0 for none; undefined where it is not. */
  readonly planAcceptedAt: number | undefined;
  readonly status: Fields;
}

/** An annotation by which objects of a release name the resource that declares it. */
export interface Mark {
  readonly annotation: string;
  readonly value: string;
}

/** A `FluxHelmRelease`: a chart of the one configured repository. */
export interface BaseRelease extends DeclaredMeta {
  readonly profile: 'base';
  readonly chartGitPath: string;
  readonly values: Fields;
  readonly valuesFrom: readonly ValuesSource[];
}

/** A `HelmRelease` of the operators that came later, of either group. */
export interface ExtendedRelease extends DeclaredMeta {
  readonly profile: 'extended';
  readonly spec: ExtendedSpec;
  /** Keys of the HelmReleases, of its own group, that are to be released before it. */
  readonly dependsOn: readonly ObjectKey[];
}

/** A resource that declares a release, whatever its kind. */
export type DeclaredRelease = BaseRelease | ExtendedRelease;

const WEBHOOK_SECRET = 'slipway.dev/webhook-secret';
const BASE_MARK = 'flux.weave.works/antecedent';
const EXTENDED_MARK = 'helm.fluxcd.io/antecedent';

/** The resource that the annotations of an object name as declaring its release; undefined where none is named. */
export function readMark(annotations: Readonly<Record<string, string>>): ObjectAddress | undefined {
  for (const [annotation, type] of [
    [EXTENDED_MARK, KINDS.helmRelease],
    [BASE_MARK, KINDS.fluxHelmRelease],
    [BASE_MARK, KINDS.olderHelmRelease],
  ] as const) {
    const [, namespace, kind, name] = /^([^:/]+):([^:/]+)\/([^:/]+)$/.exec(annotations[annotation] ?? '') ?? [];
    if (name !== undefined && kind === type.kind.toLowerCase()) return { ...type, namespace, name } as ObjectAddress;
  }
  return undefined;
}

const FLUX = 'helm.toolkit.fluxcd.io';

/** By which Flux names, on each object that its Helm makes, the resource that declares the release. */
export function fluxOwnerOf({ labels = {} }: Marked, home: string): ObjectAddress | undefined {
  const { [`${FLUX}/name`]: name, [`${FLUX}/namespace`]: namespace = home } = labels;
  return name === undefined ? undefined : { ...FLUX_KINDS['helmrelease-v2'], namespace, name };
}

/**
 * The resources that may have a release since, by what its first object bears beside the mark of an annotation: those of operators
 * that came later than the one with that mark.
 */
export function laterOwnersOf(
  first: Marked,
  { annotation, home }: { readonly annotation: string; readonly home: string },
): ObjectAddress[] {
  const { [EXTENDED_MARK]: later } = first.annotations ?? {};
  const marked = annotation === BASE_MARK && later !== undefined ? readMark({ [EXTENDED_MARK]: later }) : undefined;
  return [fluxOwnerOf(first, home), marked].filter((owner) => owner !== undefined);
}

interface Marked {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
}

/** What was read of objects that cannot change any more. */
const READ = new WeakMap<KubeObject, DeclaredRelease>();

/** Reads an object of any kind that declares a release; a frozen one, as the copies of a watch are, is read once however often it is asked for. */
export function readDeclared(object: KubeObject): DeclaredRelease {
  const known = READ.get(object);
  if (known !== undefined) return known;
  const declared = object.kind === KINDS.fluxHelmRelease.kind ? readBase(object) : readExtended(object);
  if (Object.isFrozen(object)) READ.set(object, declared);
  return declared;
}

/**
 * The state of a resource that an action goes by. A pass lists all resources first and may come to this one minutes later: where its spec or its annotations
 * have changed since, the present state counts, so that nothing newer is undone. Undefined where it was deleted, also where another one of its name came after
 * it, which is looked at for itself once what it follows is uninstalled, and where it declares another release.
 */
export function withLatestSpec<Release extends DeclaredRelease>(listed: Release, live: DeclaredRelease | undefined): Release | undefined {
  if (live === undefined || live.uid !== listed.uid || releaseKey(live.release) !== releaseKey(listed.release)) return undefined;
  // Changed annotations do not raise the generation, and an account or a number of approvals may stand there: nothing is done by what is named no longer.
  const isNewer = live.generation > listed.generation || !deepEqual(live.annotations, listed.annotations);
  return isNewer && isLike(live, listed) ? live : listed;
}

function isLike<Release extends DeclaredRelease>(live: DeclaredRelease, listed: Release): live is Release {
  return live.profile === listed.profile;
}

function readBase(object: KubeObject): BaseRelease {
  const meta = readMeta(object);
  const name = baseReleaseName({ ...meta, releaseName: readString(object, 'spec', 'releaseName') });
  return {
    ...meta.common,
    profile: 'base',
    release: { namespace: meta.namespace, name },
    mark: { annotation: BASE_MARK, value: `${meta.namespace}:fluxhelmrelease/${meta.name}` },
    chartGitPath: readString(object, 'spec', 'chartGitPath') ?? '',
    values: readFields(object, 'spec', 'values'),
    valuesFrom: readSecretFiles(readList(object, 'spec', 'valueFileSecrets')),
  };
}

function readExtended(object: KubeObject): ExtendedRelease {
  const meta = readMeta(object);
  const spec = readExtendedSpec(object.spec, object.metadata.annotations);
  const name = extendedReleaseName({ ...meta, releaseName: spec.releaseName, targetNamespace: spec.targetNamespace });
  return {
    ...meta.common,
    profile: 'extended',
    release: { namespace: spec.targetNamespace || meta.namespace, name },
    // The older operator marked with what it had marked the base kind with.
    mark: { annotation: isOlder(object) ? BASE_MARK : EXTENDED_MARK, value: `${meta.namespace}:helmrelease/${meta.name}` },
    spec,
    dependsOn: readDependsOn(object, meta.namespace),
  };
}

const isOlder = (type: TypeRef) => nameOfKind(type) === nameOfKind(KINDS.olderHelmRelease);

function readMeta(object: KubeObject) {
  const { metadata } = object;
  const namespace = namespaceOf(metadata.namespace);
  const name = metadata.name ?? '';
  return {
    namespace,
    name,
    common: {
      at: { ...toAddress(object), namespace },
      key: toObjectKey({ namespace, name }),
      onBehalfOf: readImpersonation(object, namespace),
      uid: metadata.uid ?? '',
      generation: metadata.generation ?? 1,
      isTerminating: metadata.deletionTimestamp !== undefined,
      hasFinalizer: object.kind === KINDS.helmRelease.kind && (metadata.finalizers ?? []).includes(HELM_FINALIZER),
      created: metadata.creationTimestamp ?? '',
      webhookSecret: metadata.annotations?.[WEBHOOK_SECRET] || undefined,
      annotations: metadata.annotations ?? {},
      plan: readPlanFor(object.spec, metadata.annotations?.[PLAN.seen]),
      planAcceptedAt: readPlanAcceptedAt(metadata.annotations),
      status: readFields(object, 'status'),
    },
  };
}

/** The revision that a plan was accepted over, where the one that stands on an object was; undefined where it was not. */
export function readPlanAcceptedAt(annotations: Readonly<Record<string, string>> = {}): number | undefined {
  const [stored, ...text] = annotations[PLAN_ACCEPTED]?.split(' ') ?? [];
  return stored !== undefined && /^\d+$/.test(stored) && text.join(' ') === annotations[PLAN.seen] ? Number(stored) : undefined;
}

/** True of a resource that is deleted and stays until its release is uninstalled. */
export function awaitsUninstall({ isTerminating, hasFinalizer }: DeclaredRelease): boolean {
  return isTerminating && hasFinalizer;
}

/** True of a chart that comes from a Helm repository or a registry. */
export function isPulled(resource: DeclaredRelease): boolean {
  return resource.profile === 'extended' && resource.spec.chart.kind !== 'git';
}
