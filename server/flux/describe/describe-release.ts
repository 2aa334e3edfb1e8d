import type { FluxReference, FluxReleaseDetail, FluxStoredRelease } from '@/lib/contract/flux-rows';
import type { ReleaseRow } from '@/lib/contract/release-rows';
import { isFields, readBoolean, readField, readFields, readList, readNumber, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { parseObjectKey } from '@/lib/kube/object';
import { formatCount } from '@/lib/words/figures';
import { toReference } from '../kinds';
import { isSuspended } from './state';

/** Helm takes no longer name; helm-controller shortens what it makes of namespace and name by a digest, and tells it in its history. */
const MAX_HISTORY = 50;

type Row = Pick<ReleaseRow, 'release' | 'chart' | 'revision' | 'commit' | 'lastAct' | 'drift' | 'flux'>;

/** What a HelmRelease of Flux says of its release, for the line of a table. */
export function describeFluxRelease(object: KubeObject): Row {
  const newest = historyOf(object)[0];
  const attempted = readString(object, 'status', 'lastAttemptedRevision') ?? null;
  return {
    release: releaseOf(object),
    chart: newest === undefined ? null : { name: newest.chart, version: newest.chartVersion, appVersion: newest.appVersion },
    revision: attempted ?? newest?.chartVersion ?? null,
    commit: null,
    lastAct:
      newest?.lastDeployed == null
        ? null
        : {
            at: newest.lastDeployed,
            by: 'Flux',
            outcome: newest.status,
            revision: newest.chartVersion,
            storedRevision: newest.version,
            users: [],
          },
    drift: driftOf(object),
    flux: { interval: readString(object, 'spec', 'interval') ?? null, suspended: isSuspended(object) },
  };
}

type ReleaseDescription = Pick<
  FluxReleaseDetail,
  | 'storage'
  | 'elsewhere'
  | 'account'
  | 'source'
  | 'lastAttempt'
  | 'history'
  | 'failures'
  | 'remediation'
  | 'dependsOn'
  | 'valuesFrom'
  | 'timeout'
>;

/** The rest of what a HelmRelease of Flux says, for its page; of values that it takes from elsewhere only the names. */
export function describeFluxReleaseDetail(object: KubeObject): ReleaseDescription {
  const { namespace = '' } = object.metadata;
  const release = releaseOf(object);
  const kept = readString(object, 'status', 'storageNamespace') ?? readString(object, 'spec', 'storageNamespace') ?? release.namespace;
  const count = (name: string) => readNumber(object, 'status', name) ?? 0;
  return {
    storage: { namespace: kept, name: release.name },
    elsewhere: elsewhereOf(object),
    account: readString(object, 'spec', 'serviceAccountName') ?? null,
    source: sourceOf(object),
    lastAttempt: {
      revision: readString(object, 'status', 'lastAttemptedRevision') ?? null,
      action: readString(object, 'status', 'lastAttemptedReleaseAction') ?? null,
    },
    history: historyOf(object),
    failures: { all: count('failures'), install: count('installFailures'), upgrade: count('upgradeFailures') },
    remediation: [remedyOf(object, 'install'), remedyOf(object, 'upgrade')],
    dependsOn: readList(object, 'spec', 'dependsOn').flatMap((entry) => {
      const name = readString(entry, 'name');
      return name === undefined
        ? []
        : [{ kind: 'HelmRelease', page: 'helmrelease-v2' as const, ns: readString(entry, 'namespace') ?? namespace, name }];
    }),
    valuesFrom: readList(object, 'spec', 'valuesFrom').flatMap(formatValuesFrom),
    timeout: readString(object, 'spec', 'timeout') ?? null,
  };
}

/** The source that a release takes its chart from: the one that it names, or the HelmChart that Flux makes of its template. */
export function sourceOf(object: KubeObject): FluxReference | null {
  const { namespace = '', name = '' } = object.metadata;
  const named = (of: unknown) => ({
    kind: readString(of, 'kind') ?? '',
    name: readString(of, 'name') ?? '',
    namespace: readString(of, 'namespace'),
  });
  const reference = readField(object, 'spec', 'chartRef');
  if (isFields(reference)) return toReference(named(reference), namespace);
  const template = readField(object, 'spec', 'chart', 'spec', 'sourceRef');
  if (!isFields(template)) return null;
  const made = parseObjectKey(
    readString(object, 'status', 'helmChart') ?? `${named(template).namespace ?? namespace}/${namespace}-${name}`,
  );
  return toReference({ kind: 'HelmChart', name: made.name, namespace: made.namespace }, namespace);
}

/** The release of Helm: as the history tells, else as Flux would name it. */
function releaseOf(object: KubeObject): ReleaseRow['release'] {
  const { namespace = '', name = '' } = object.metadata;
  const [newest] = readList(object, 'status', 'history');
  const target = readString(object, 'spec', 'targetNamespace');
  const named = readString(object, 'spec', 'releaseName') ?? (target === undefined ? name : `${target}-${name}`);
  return { namespace: readString(newest, 'namespace') ?? target ?? namespace, name: readString(newest, 'name') ?? named };
}

function historyOf(object: KubeObject): FluxStoredRelease[] {
  return readList(object, 'status', 'history')
    .slice(0, MAX_HISTORY)
    .map((entry, at) => {
      const version = readNumber(entry, 'version') ?? 0;
      return {
        key: `${version} ${at}`,
        version,
        status: readString(entry, 'status') ?? 'unknown',
        chart: readString(entry, 'chartName') ?? '',
        chartVersion: readString(entry, 'chartVersion') ?? '',
        appVersion: readString(entry, 'appVersion') ?? null,
        digest: readString(entry, 'ociDigest') ?? readString(entry, 'digest') ?? null,
        firstDeployed: readString(entry, 'firstDeployed') ?? null,
        lastDeployed: readString(entry, 'lastDeployed') ?? null,
        tests: countTests(readFields(entry, 'testHooks')),
      };
    });
}

function countTests(hooks: Readonly<Record<string, unknown>>): string[] {
  const counts = new Map<string, number>();
  for (const hook of Object.values(hooks)) {
    const phase = readString(hook, 'phase') || 'not run';
    counts.set(phase, (counts.get(phase) ?? 0) + 1);
  }
  return [...counts].map(([phase, count]) => `${count} ${phase}`);
}

function driftOf(object: KubeObject): ReleaseRow['drift'] {
  const mode = readString(object, 'spec', 'driftDetection', 'mode') ?? 'disabled';
  if (mode === 'enabled') return { state: 'none', sentence: 'Flux compares live objects at each reconciliation, and corrects drift' };
  if (mode === 'warn') return { state: 'unknown', sentence: 'Flux reports drift in events, and does not correct it' };
  return { state: 'unknown', sentence: 'Flux does not look for drift: detection is disabled for this release' };
}

function elsewhereOf(object: KubeObject): string | null {
  const secret = readString(object, 'spec', 'kubeConfig', 'secretRef', 'name');
  const map = readString(object, 'spec', 'kubeConfig', 'configMapRef', 'name');
  return secret === undefined ? (map === undefined ? null : `ConfigMap ${map}`) : `Secret ${secret}`;
}

/** What is done when an act of Helm fails; retries below zero have no end. */
function remedyOf(object: KubeObject, act: 'install' | 'upgrade'): string {
  const when = `When ${act === 'install' ? 'installing' : 'upgrading'} fails`;
  const retries = readNumber(object, 'spec', act, 'remediation', 'retries') ?? 0;
  const strategy = act === 'install' ? 'uninstall' : (readString(object, 'spec', act, 'remediation', 'strategy') ?? 'rollback');
  if (readString(object, 'spec', act, 'strategy', 'name') === 'RetryOnFailure') return `${when}, it is retried, and nothing is rolled back`;
  if (retries === 0) return `${when}, nothing is rolled back, and it is not retried`;
  const takesBackLast = readBoolean(object, 'spec', act, 'remediation', 'remediateLastFailure') ?? act === 'upgrade';
  const word = strategy === 'uninstall' ? 'uninstalled' : 'rolled back';
  const often = retries < 0 ? 'without limit' : `up to ${formatCount(retries, 'time')}`;
  return `${when}, it is ${word} and retried ${often}${retries < 0 || takesBackLast ? '' : '; the last failure is left as it is'}`;
}

function formatValuesFrom(entry: unknown): readonly string[] {
  const [kind, name] = [readString(entry, 'kind'), readString(entry, 'name')];
  if (kind === undefined || name === undefined) return [];
  const key = readString(entry, 'valuesKey') ?? 'values.yaml';
  const path = readString(entry, 'targetPath');
  return [`${kind} ${name}, key ${key}${path === undefined ? '' : ` at ${path}`}${readBoolean(entry, 'optional') ? ', optional' : ''}`];
}
