import { condition, currentIf, failedIf, is, progressingIf, unobserved } from '../rows';
import type { RuleRow, StatusRule } from '../rule';

const SUSPENDED = is('.spec.suspend', true);

/**
 * What the controllers of the Flux toolkit have in common. They retry for ever: Reconciling stands beside Ready False, which tells
 * what the last attempt met. A moment of it is no failure, minutes of it are. Stalled is said once no retry would help.
 */
const TOOLKIT_ROWS: readonly RuleRow[] = [
  failedIf(condition('Stalled', 'True')),
  currentIf([condition('Ready', 'True'), SUSPENDED], 'Reconciliation is suspended. {condition.message}'),
  failedIf([condition('Ready', 'False'), SUSPENDED], 'Reconciliation is suspended. {condition.message}'),
  progressingIf(SUSPENDED, 'Reconciliation is suspended before it ended', 'Suspended'),
  progressingIf(condition('Ready', 'False', 'DependencyNotReady')),
  failedIf([{ condition: 'Ready', status: 'False', for: '5m' }], '{condition.message}'),
  progressingIf([condition('Ready', 'False'), condition('Reconciling', 'True')], '{condition.message}'),
  progressingIf(condition('Reconciling', 'True')),
  progressingIf(condition('Ready', 'False', 'ArtifactFailed')),
  currentIf(condition('Ready', 'True')),
  failedIf(condition('Ready', 'False')),
  progressingIf(condition('Ready', 'Unknown')),
  unobserved('Flux'),
];
const TOOLKIT = { skip: ['standardConditions' as const], rows: [...TOOLKIT_ROWS] };

const TOOLKIT_KINDS = [
  ...['GitRepository', 'Bucket', 'HelmChart', 'OCIRepository'].map((kind) => `source.toolkit.fluxcd.io/${kind}`),
  ...['ImageRepository', 'ImagePolicy', 'ImageUpdateAutomation'].map((kind) => `image.toolkit.fluxcd.io/${kind}`),
  'kustomize.toolkit.fluxcd.io/Kustomization',
  'helm.toolkit.fluxcd.io/HelmRelease',
  'notification.toolkit.fluxcd.io/Receiver',
];

/** A HelmRepository of type oci only holds an address: Flux has written no status into it since 2.2. */
const OCI_REPOSITORY = currentIf(is('.spec.type', 'oci'), 'HelmRepository names {.spec.url}');

/** Providers and Alerts are read when they are needed and have had no status since notification v1beta3. */
const STATUSLESS: readonly StatusRule[] = ['Provider', 'Alert'].map((kind) => ({
  ...TOOLKIT,
  rows: TOOLKIT_ROWS.filter(({ when }) => when !== undefined),
  kind: `notification.toolkit.fluxcd.io/${kind}`,
  statusless: true,
}));

/** Reading a Helm release by what Helm stores of it; helm-operator wrote it in upper case first, then as Helm does. */
const RELEASE_STATUS_ROWS: readonly RuleRow[] = [
  currentIf(is('.status.releaseStatus', 'DEPLOYED', 'deployed'), 'Helm release is deployed'),
  failedIf(is('.status.releaseStatus', 'FAILED', 'failed'), 'The last change of the Helm release failed', 'ReleaseFailed'),
  failedIf(is('.status.releaseStatus', 'DELETED', 'uninstalled'), 'The Helm release was uninstalled', 'ReleaseDeleted'),
  progressingIf({ path: '.status.releaseStatus', present: true }, 'Helm release is {.status.releaseStatus}', 'ReleaseChanging'),
  { status: 'InProgress', reason: 'NoRelease', message: 'There is no Helm release' },
];

/** The later kind of helm-operator: conditions that name the step, and a phase. A release that was rolled back is not what was asked for. */
const OPERATOR_ROWS: readonly RuleRow[] = [
  failedIf(condition('RolledBack', ['True', 'False'])),
  progressingIf(condition('RolledBack', 'Unknown')),
  progressingIf(is('.status.phase', 'Installing', 'Upgrading', 'Migrating', 'Testing'), 'Helm release: {.status.phase}', '{.status.phase}'),
  failedIf(condition('ChartFetched', 'False')),
  failedIf(condition('Released', 'False')),
  currentIf(condition('Released', 'True')),
  ...RELEASE_STATUS_ROWS,
];

export const FLUX_RULES: readonly StatusRule[] = [
  { ...TOOLKIT, kind: 'source.toolkit.fluxcd.io/HelmRepository', rows: [OCI_REPOSITORY, ...TOOLKIT_ROWS] },
  ...STATUSLESS,
  ...TOOLKIT_KINDS.map((kind) => ({ ...TOOLKIT, kind })),
  // The first kind of helm-operator knows one field: what Helm stores of the release.
  { kind: 'helm.integrations.flux.weave.works/FluxHelmRelease', rows: [...RELEASE_STATUS_ROWS] },
  { kind: 'helm.fluxcd.io/HelmRelease', rows: [...OPERATOR_ROWS] },
  { kind: 'flux.weave.works/HelmRelease', rows: [...OPERATOR_ROWS] },
];
