import type { KindCases, RuleCase } from './evaluate';
import { condition, freshCondition, ready } from './evaluate';

const applied = 'Applied revision: main@sha1:0e1f';
const FLUX_TOOLKIT: readonly RuleCase[] = [
  [
    'is applied',
    { generation: 1, status: { observedGeneration: 1, conditions: [ready('True', 'ReconciliationSucceeded', applied)] } },
    'Current',
    applied,
  ],
  [
    'was never looked at',
    { generation: 1, status: { observedGeneration: -1 } },
    'InProgress',
    'generation is 1, but latest observed generation is -1',
  ],
  [
    'retries since a moment',
    {
      status: {
        conditions: [
          condition('Reconciling', 'True', 'ProgressingWithRetry', 'retrying'),
          freshCondition('Ready', 'False', 'HealthCheckFailed', 'timeout'),
        ],
      },
    },
    'InProgress',
    'timeout',
  ],
  [
    'has retried in vain for five minutes',
    {
      status: {
        conditions: [condition('Reconciling', 'True', 'ProgressingWithRetry', 'retrying'), ready('False', 'HealthCheckFailed', 'timeout')],
      },
    },
    'Failed',
    'timeout',
  ],
  [
    'is being applied',
    {
      status: {
        conditions: [
          condition('Reconciling', 'True', 'Progressing', 'building'),
          ready('Unknown', 'Progressing', 'Reconciliation in progress'),
        ],
      },
    },
    'InProgress',
    'building',
  ],
  [
    'has given up',
    { status: { conditions: [condition('Stalled', 'True', 'RetriesExceeded', 'gave up'), ready('False', 'InstallFailed', 'x')] } },
    'Failed',
    'gave up',
  ],
  ['has failed', { status: { conditions: [ready('False', 'BuildFailed', 'kustomize build failed')] } }, 'Failed', 'kustomize build failed'],
  [
    'waits for another',
    { status: { conditions: [ready('False', 'DependencyNotReady', 'dependency base is not ready')] } },
    'InProgress',
    'dependency base is not ready',
  ],
  [
    'rests',
    { spec: { suspend: true }, status: { conditions: [ready('True', 'ReconciliationSucceeded', applied)] } },
    'Current',
    `Reconciliation is suspended. ${applied}`,
  ],
  [
    'rests and is broken',
    { spec: { suspend: true }, status: { conditions: [ready('False', 'BuildFailed', 'broken')] } },
    'Failed',
    'Reconciliation is suspended. broken',
  ],
  ['rests from the start', { spec: { suspend: true } }, 'InProgress', 'Reconciliation is suspended before it ended'],
  ['is new', {}, 'InProgress', 'has not been reconciled by Flux'],
];

const RELEASE: readonly RuleCase[] = [
  ['is deployed', { status: { releaseStatus: 'DEPLOYED' } }, 'Current', 'Helm release is deployed'],
  ['has failed', { status: { releaseStatus: 'FAILED' } }, 'Failed', 'The last change of the Helm release failed'],
  ['is being upgraded', { status: { releaseStatus: 'PENDING_UPGRADE' } }, 'InProgress', 'Helm release is PENDING_UPGRADE'],
  ['was uninstalled', { status: { releaseStatus: 'DELETED' } }, 'Failed', 'The Helm release was uninstalled'],
  ['is new', {}, 'InProgress', 'There is no Helm release'],
];

const success = "Release was successful for Helm release 'web' in 'shop'.";
const OPERATOR_RELEASE: readonly RuleCase[] = [
  [
    'is released',
    { status: { phase: 'Succeeded', releaseStatus: 'deployed', conditions: [condition('Released', 'True', 'Succeeded', success)] } },
    'Current',
    success,
  ],
  [
    'is being upgraded',
    { status: { phase: 'Upgrading', conditions: [condition('Released', 'True', 'Succeeded', success)] } },
    'InProgress',
    'Helm release: Upgrading',
  ],
  [
    'has no chart',
    { status: { phase: 'ChartFetchFailed', conditions: [condition('ChartFetched', 'False', 'ChartFetchFailed', 'Chart fetch failed')] } },
    'Failed',
    'Chart fetch failed',
  ],
  [
    'was rolled back',
    {
      status: {
        phase: 'RolledBack',
        conditions: [condition('Released', 'False', 'Failed', 'x'), condition('RolledBack', 'True', 'RolledBack', 'Rolled back')],
      },
    },
    'Failed',
    'Rolled back',
  ],
  ['is told by Helm alone', { status: { releaseStatus: 'deployed' } }, 'Current', 'Helm release is deployed'],
];

/** What is told of what Flux drives, as it is today and as it was. */
export const FLUX: readonly KindCases[] = [
  ['kustomize.toolkit.fluxcd.io/v1', 'Kustomization', FLUX_TOOLKIT],
  ['helm.toolkit.fluxcd.io/v2', 'HelmRelease', FLUX_TOOLKIT],
  ['helm.integrations.flux.weave.works/v1alpha2', 'FluxHelmRelease', RELEASE],
  ['helm.fluxcd.io/v1', 'HelmRelease', OPERATOR_RELEASE],
  ['flux.weave.works/v1beta1', 'HelmRelease', OPERATOR_RELEASE],
];
