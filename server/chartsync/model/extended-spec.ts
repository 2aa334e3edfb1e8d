import type { Fields } from '@/lib/kube/fields';
import { readBoolean, readField, readFields, readList, readNumber, readString } from '@/lib/kube/fields';
import type { DependencySecret } from './dependency-secrets';
import { DEPENDENCY_SECRETS, readDependencySecrets } from './dependency-secrets';
import type { DriftPolicy } from './drift-policy';
import { DRIFT_DETECTION, readDriftPolicy } from './drift-policy';
import type { ValuesSource } from './values-source';
import { readSecretFiles, readValuesFrom } from './values-source';

/** A Secret that a resource names; in its own namespace where it names none. */
export interface SecretRef {
  readonly name: string;
  readonly namespace?: string;
}

/** A chart in a git repository. */
export interface GitChart {
  readonly kind: 'git';
  readonly url: string;
  /** The branch; the configured default when absent. */
  readonly ref: string | undefined;
  readonly path: string;
  /** The Secret with the credentials of the repository. */
  readonly secret: SecretRef | undefined;
  readonly skipDepUpdate: boolean;
  /** The Secrets for the repositories of its dependencies. */
  readonly dependencySecrets: readonly DependencySecret[];
}

/** A chart of a Helm repository or an OCI registry, released by version. */
export interface RepositoryChart {
  readonly kind: 'repository';
  readonly repository: string;
  readonly name: string;
  readonly version: string;
  /** The Secret with the credentials of the repository. */
  readonly secret: SecretRef | undefined;
}

export interface RollbackPolicy {
  readonly enable: boolean;
  readonly retry: boolean;
  /** 0 for no limit. */
  readonly maxRetries: number;
  readonly force: boolean;
  readonly disableHooks: boolean;
  readonly timeoutSeconds: number;
  readonly wait: boolean;
}

export interface TestPolicy {
  readonly enable: boolean;
  readonly ignoreFailures: boolean;
  readonly timeoutSeconds: number;
  readonly cleanup: boolean;
}

/** What every accepted kind is read as (spec/chartsync 12.2). */
export interface ExtendedSpec {
  readonly chart: GitChart | RepositoryChart;
  readonly releaseName: string | undefined;
  readonly targetNamespace: string | undefined;
  /** Whether an install makes the namespace of the release where it is missing. */
  readonly createNamespace: boolean;
  readonly maxHistory: number;
  readonly timeoutSeconds: number;
  readonly wait: boolean;
  readonly forceUpgrade: boolean;
  readonly resetValues: boolean;
  readonly skipCRDs: boolean;
  readonly disableOpenAPIValidation: boolean;
  readonly values: Fields;
  readonly valuesFrom: readonly ValuesSource[];
  readonly rollback: RollbackPolicy;
  readonly test: TestPolicy;
  readonly suspend: boolean;
  readonly driftDetection: DriftPolicy;
}

const TIMEOUT_SECONDS = 300;
const MAX_HISTORY = 10;
const MAX_RETRIES = 5;

/** Reads the spec of a HelmRelease, defaults filled in, and the annotation that stands for a field of it. */
export function readExtendedSpec(spec: unknown, annotations: Readonly<Record<string, string>> = {}): ExtendedSpec {
  const rollback = readRollback(readField(spec, 'rollback'));
  const test = readTest(readField(spec, 'test'));
  return {
    chart: readChart(readField(spec, 'chart'), annotations[DEPENDENCY_SECRETS]),
    releaseName: readString(spec, 'releaseName'),
    targetNamespace: readString(spec, 'targetNamespace') || undefined,
    createNamespace: readBoolean(spec, 'createNamespace') ?? false,
    maxHistory: readNumber(spec, 'maxHistory') ?? MAX_HISTORY,
    timeoutSeconds: readNumber(spec, 'timeout') ?? TIMEOUT_SECONDS,
    // What is rolled back or tested must be known to have come up (X-WAIT-1).
    wait: readBoolean(spec, 'wait') ?? (rollback.enable || test.enable),
    forceUpgrade: readBoolean(spec, 'forceUpgrade') ?? false,
    resetValues: readBoolean(spec, 'resetValues') ?? true,
    skipCRDs: readBoolean(spec, 'skipCRDs') ?? false,
    disableOpenAPIValidation: readBoolean(spec, 'disableOpenAPIValidation') ?? false,
    values: readFields(spec, 'values'),
    valuesFrom: [...readSecretFiles(readList(spec, 'valueFileSecrets')), ...readValuesFrom(readList(spec, 'valuesFrom'))],
    rollback,
    test,
    suspend: readBoolean(spec, 'suspend') ?? false,
    driftDetection: readDriftPolicy(readField(spec, 'driftDetection'), annotations[DRIFT_DETECTION]),
  };
}

function readChart(chart: unknown, dependencySecrets: string | undefined): GitChart | RepositoryChart {
  const repository = readString(chart, 'repository');
  if (repository) {
    return {
      kind: 'repository',
      repository,
      name: readString(chart, 'name') ?? '',
      version: readString(chart, 'version') ?? '',
      secret: readSecretRef(chart, 'chartPullSecret'),
    };
  }
  return {
    kind: 'git',
    url: readString(chart, 'git') ?? '',
    ref: readString(chart, 'ref') || undefined,
    path: readString(chart, 'path') ?? '',
    secret: readSecretRef(chart, 'secretRef'),
    skipDepUpdate: readBoolean(chart, 'skipDepUpdate') ?? false,
    dependencySecrets: readDependencySecrets(readList(chart, 'dependencySecrets'), dependencySecrets),
  };
}

function readSecretRef(chart: unknown, member: 'secretRef' | 'chartPullSecret'): SecretRef | undefined {
  const name = readString(chart, member, 'name');
  const namespace = readString(chart, member, 'namespace');
  return name ? { name, ...(namespace ? { namespace } : {}) } : undefined;
}

function readRollback(rollback: unknown): RollbackPolicy {
  return {
    enable: readBoolean(rollback, 'enable') ?? false,
    retry: readBoolean(rollback, 'retry') ?? false,
    maxRetries: readNumber(rollback, 'maxRetries') ?? MAX_RETRIES,
    force: readBoolean(rollback, 'force') ?? false,
    disableHooks: readBoolean(rollback, 'disableHooks') ?? false,
    timeoutSeconds: readNumber(rollback, 'timeout') ?? TIMEOUT_SECONDS,
    wait: readBoolean(rollback, 'wait') ?? false,
  };
}

function readTest(test: unknown): TestPolicy {
  return {
    enable: readBoolean(test, 'enable') ?? false,
    ignoreFailures: readBoolean(test, 'ignoreFailures') ?? false,
    timeoutSeconds: readNumber(test, 'timeout') ?? TIMEOUT_SECONDS,
    cleanup: readBoolean(test, 'cleanup') ?? false,
  };
}
