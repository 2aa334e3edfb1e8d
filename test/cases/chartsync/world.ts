import type { Fields } from '@/lib/kube/fields';
import { isFields } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { digestValues } from '@/server/chartsync/compare/values-digest';
import type { ChartContent, HelmStatus } from '@/server/chartsync/model/release';

// The case schema of spec/chartsync 1.

export interface Case {
  readonly id: string;
  readonly given: World;
  readonly when: readonly Step[];
  readonly then: Expect;
}

export interface World {
  readonly config?: { readonly branch?: string; readonly chartsPath?: string; readonly logDiffs?: boolean; readonly updateDeps?: boolean };
  readonly git: GivenGit;
  readonly chartRepos?: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, Chart>>>>>>;
  readonly cluster: {
    readonly namespaces: readonly string[];
    readonly resources: readonly Resource[];
    readonly helm: readonly GivenRelease[];
    readonly secrets?: readonly Data[];
    readonly configMaps?: readonly Data[];
    readonly drift?: Readonly<Record<string, readonly { readonly object: string; readonly path: string }[]>>;
  };
  readonly faults?: readonly Fault[];
}

export interface GivenGit {
  readonly commits: readonly Commit[];
  readonly upstreamHead?: string;
  readonly mirrorHead?: string;
  readonly engineRevision?: string | null;
  readonly mirrorState?: 'unconfigured' | 'new' | 'cloned' | 'ready';
  readonly mirrorError?: string;
  readonly signalPending?: boolean;
}

export interface Commit {
  readonly id: string;
  readonly parent?: string;
  readonly charts?: Readonly<Record<string, Chart | null>>;
  readonly touches?: readonly string[];
}

export interface Chart {
  readonly name?: string;
  readonly version?: string;
  readonly appVersion?: string;
  readonly metadata?: Fields;
  readonly templates?: readonly (readonly [string, string])[];
  readonly files?: readonly (readonly [string, string])[];
  readonly values?: Fields;
  readonly dependencies?: readonly Chart[];
  readonly broken?: string;
  readonly depsMissing?: boolean;
}

export interface Resource {
  readonly kind: 'FluxHelmRelease' | 'HelmRelease';
  /** Of a HelmRelease of the older group; no case has it, and each is played with it once more. */
  readonly group?: 'flux.weave.works';
  readonly namespace: string;
  readonly name: string;
  readonly generation?: number;
  readonly spec: Fields;
  readonly status?: Fields;
}

export interface GivenRelease {
  readonly namespace: string;
  readonly name: string;
  readonly antecedent?: string;
  readonly revisions: readonly {
    readonly revision: number;
    readonly status: HelmStatus;
    readonly chartPath?: string;
    readonly description?: string;
    readonly chart?: Chart;
    readonly values?: Fields;
  }[];
}

interface Data {
  readonly namespace: string;
  readonly name: string;
  readonly data: Readonly<Record<string, string>>;
}

export interface Fault {
  readonly on: string;
  readonly release?: string;
  readonly namespace?: string;
  readonly path?: string;
  readonly error: string;
  readonly times?: number;
  readonly after?: number;
  readonly leaves?: 'failed' | 'nothing';
}

export interface Step {
  readonly do: string;
  readonly head?: string;
  readonly deliver?: boolean;
  readonly key?: string;
  readonly resource?: Resource;
  readonly spec?: Fields;
  readonly metadata?: Fields;
  readonly status?: unknown;
  readonly release?: string;
  readonly namespace?: string;
  readonly chartPath?: string;
  readonly chart?: Chart;
  readonly values?: Fields;
  readonly gone?: boolean;
  readonly background?: boolean;
  readonly pauseBefore?: string;
}

export interface Action {
  readonly do: string;
  readonly ok?: boolean;
  readonly [field: string]: unknown;
}

export interface Expect {
  readonly kinds?: readonly string[];
  readonly actions?: readonly Action[];
  readonly unordered?: readonly string[];
  readonly engineRevision?: string;
  readonly mirrorState?: string;
  readonly helm?: Readonly<Record<string, null | { readonly status?: string; readonly revision?: number; readonly values?: Fields }>>;
  readonly status?: Readonly<Record<string, Fields>>;
  readonly statusWrites?: number;
  readonly events?: readonly { readonly key: string; readonly type: string; readonly reason: string }[];
  readonly logs?: readonly { readonly level?: string; readonly contains: string }[];
  readonly logsNot?: readonly string[];
  readonly error?: null | string;
  readonly maxConcurrentPerRelease?: number;
}

const DEFAULT_TEMPLATES = [['templates/all.yaml', 'A']] as const;

/** A chart of a case as Helm would hand it out. */
export function toContent(chart: Chart, path: string): ChartContent {
  const name = chart.name ?? path.split('/').at(-1) ?? '';
  const { version = '1.0.0', appVersion } = chart;
  const toFile = ([file, text]: readonly [string, string]) => ({ name: file, data: text });
  return {
    metadata: { name, version, ...(appVersion === undefined ? {} : { appVersion }), ...chart.metadata },
    templates: (chart.templates ?? DEFAULT_TEMPLATES).map(toFile),
    files: (chart.files ?? []).map(toFile),
    values: chart.values ?? {},
    dependencies: (chart.dependencies ?? []).map((dependency) => toContent(dependency, '')),
  };
}

/** A resource of a case as the API server would have it. */
export function toObject({ kind, group, namespace, name, generation = 1, spec, status = {} }: Resource): KubeObject {
  const later = group === undefined ? KINDS.helmRelease : KINDS.olderHelmRelease;
  const type = kind === 'FluxHelmRelease' ? KINDS.fluxHelmRelease : later;
  const metadata = { name, ...(namespace === '' ? {} : { namespace }), generation };
  return { ...type, metadata, spec, status: toStoredStatus(status) };
}

/** Conditions are given as a map, and the values of the last attempt as plain values. */
export function toStoredStatus(status: Fields): Fields {
  const { conditions, lastAttemptedValues, ...rest } = status;
  return {
    ...rest,
    ...(isFields(conditions)
      ? { conditions: Object.entries(conditions).map(([type, value]) => ({ type, status: value, reason: '', message: '' })) }
      : {}),
    ...(isFields(lastAttemptedValues) ? { lastAttemptedValues: digestValues(lastAttemptedValues) } : {}),
  };
}
