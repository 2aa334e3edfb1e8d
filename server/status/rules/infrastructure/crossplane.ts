import { anyOf, condition, conditionAt, currentIf, failedIf, progressingIf, rulesFor, unobserved } from '../rows';
import type { RuleRow, StatusRule } from '../rule';

const BY = 'Crossplane';

/**
 * Synced says whether the last reconciliation did what it wanted, Ready whether what it made works. An object may well be Ready and
 * not Synced: it runs, as it was before the last change.
 */
const MANAGED_ROWS: readonly RuleRow[] = [
  progressingIf(condition('Synced', 'False', 'ReconcilePaused'), 'Reconciliation is paused. {condition.message}', 'Paused'),
  failedIf(condition('Synced', 'False')),
  failedIf(condition('LastAsyncOperation', 'False')),
  progressingIf(condition('Ready', ['False', 'Unknown']), '{condition.message|condition.reason}'),
  currentIf(condition('Ready', 'True'), '{.kind} is ready'),
  progressingIf(condition('Synced'), '{.kind} is synced and not ready yet', 'NotReady'),
];

/** A package is installed when a revision of it is active, and healthy when what it brings runs. */
const PACKAGE_ROWS: readonly RuleRow[] = [
  progressingIf(condition('Installed', 'False', ['UnpackingPackage', 'ActivatingPackageRevision', 'InactivePackageRevision'])),
  failedIf({ any: ['Installed', 'Healthy', 'RevisionHealthy', 'RuntimeHealthy'].map((type) => condition(type, 'False')) }),
  progressingIf({ any: ['Installed', 'Healthy', 'RevisionHealthy'].map((type) => condition(type, 'Unknown')) }),
  currentIf(
    anyOf(condition('Healthy', 'True'), condition('RevisionHealthy', 'True')),
    '{.kind} is healthy. Package: {.spec.package|.spec.image|unknown}',
  ),
  progressingIf(condition('Installed', 'True'), '{.kind} is installed, and its health is unknown', 'HealthUnknown'),
  unobserved(BY),
];

/** Kinds that only hold settings. */
const SETTINGS = ['Composition', 'CompositionRevision', 'EnvironmentConfig', 'Usage'];
const PROVIDER_SETTINGS = ['ProviderConfig', 'ClusterProviderConfig', 'ProviderConfigUsage', 'StoreConfig'];

export const CROSSPLANE_RULES: readonly StatusRule[] = [
  ...rulesFor(
    'pkg.crossplane.io',
    ['Provider', 'Configuration', 'Function', 'ProviderRevision', 'ConfigurationRevision', 'FunctionRevision'],
    PACKAGE_ROWS,
  ),
  {
    kind: 'apiextensions.crossplane.io/CompositeResourceDefinition',
    rows: [
      failedIf(condition('Established', 'False')),
      progressingIf(condition('Offered', 'False')),
      currentIf(condition('Established', 'True'), 'Definition is established'),
      unobserved(BY),
    ],
  },
  ...SETTINGS.map((kind): StatusRule => ({ kind: `apiextensions.crossplane.io/${kind}`, statusless: true })),
  ...['*.crossplane.io', '*.upbound.io'].flatMap((group): StatusRule[] => [
    ...PROVIDER_SETTINGS.map((kind) => ({ kind: `${group}/${kind}`, statusless: true })),
    { kind: `${group}/*`, rows: [...MANAGED_ROWS] },
  ]),
  // The packages of before 0.12.
  {
    kind: 'stacks.crossplane.io/*',
    rows: [
      failedIf(conditionAt('.status.conditionedStatus.conditions', 'Synced', 'False'), '{condition.message|condition.reason}'),
      progressingIf(
        conditionAt('.status.conditionedStatus.conditions', 'Ready', ['False', 'Unknown']),
        '{condition.message|condition.reason}',
      ),
      currentIf(conditionAt('.status.conditionedStatus.conditions', 'Ready', 'True'), '{.kind} is ready'),
      unobserved(BY),
    ],
  },
];
