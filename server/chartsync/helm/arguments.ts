import type { RollbackPolicy, TestPolicy } from '../model/extended-spec';
import type { ReleaseRef } from '../model/release';
import type { ReleaseRequest } from '../ports';

/** Values come by standard input, so that they stand neither in arguments nor on disk. */
const VALUES = ['--values', '-'];
const JSON_OUTPUT = ['--output', 'json'];
const TIMEOUT_SECONDS = 300;

type Major = 3 | 4;

interface ActOptions {
  readonly major: Major;
  readonly description: string;
}

/** The arguments of a dry run on the server (spec/chartsync 10). */
export function dryRunArguments(request: ReleaseRequest): readonly string[] {
  return [
    'upgrade',
    ...chartOf(request),
    '--dry-run=server',
    ...valuesOf(request),
    ...historyOf(request),
    ...renderingOf(request),
    ...JSON_OUTPUT,
  ];
}

/** The arguments of the dry run of a first install. */
export function dryInstallArguments(request: ReleaseRequest): readonly string[] {
  return ['install', ...chartOf(request), '--dry-run=server', ...VALUES, ...renderingOf(request), ...JSON_OUTPUT];
}

/** The arguments of an install; over a history that was kept it is an upgrade that may install. */
export function installArguments(
  request: ReleaseRequest,
  { kept, ...options }: ActOptions & { readonly kept: boolean },
): readonly string[] {
  const command = kept
    ? ['upgrade', ...chartOf(request), '--install', ...valuesOf(request), ...historyOf(request)]
    : ['install', ...chartOf(request), ...VALUES];
  return [...command, ...(request.createNamespace ? ['--create-namespace'] : []), ...actOf(request, options)];
}

/** The arguments of an upgrade, which never installs. */
export function upgradeArguments(request: ReleaseRequest, options: ActOptions): readonly string[] {
  return ['upgrade', ...chartOf(request), ...valuesOf(request), ...historyOf(request), ...actOf(request, options)];
}

/** The arguments of a rollback to a revision, which is always named. */
export function rollbackArguments(
  release: ReleaseRef,
  { to, policy, major }: { readonly to: number; readonly policy: RollbackPolicy; readonly major: Major },
): readonly string[] {
  const flags = [...(policy.wait ? ['--wait'] : []), ...(policy.disableHooks ? ['--no-hooks'] : []), ...applyFlags(major, policy.force)];
  return ['rollback', release.name, String(to), ...namespaceOf(release), ...timeoutOf(policy.timeoutSeconds), ...flags];
}

/** The arguments of an uninstall, which drops the history. */
export function uninstallArguments(release: ReleaseRef, { hooks }: { readonly hooks: boolean }): readonly string[] {
  return ['uninstall', release.name, ...namespaceOf(release), ...timeoutOf(TIMEOUT_SECONDS), ...(hooks ? [] : ['--no-hooks'])];
}

/** The arguments of a release's test. */
export function testArguments(release: ReleaseRef, policy: TestPolicy): readonly string[] {
  return ['test', release.name, ...namespaceOf(release), ...timeoutOf(policy.timeoutSeconds)];
}

function chartOf({ release, chart }: ReleaseRequest): readonly string[] {
  return [release.name, chart.folder, ...namespaceOf(release)];
}

function valuesOf({ resetValues }: ReleaseRequest): readonly string[] {
  return [...VALUES, resetValues ? '--reset-values' : '--reuse-values'];
}

function historyOf({ maxHistory }: ReleaseRequest): readonly string[] {
  return ['--history-max', String(maxHistory)];
}

function renderingOf({ skipCRDs, disableOpenAPIValidation }: ReleaseRequest): readonly string[] {
  return [...(skipCRDs ? ['--skip-crds'] : []), ...(disableOpenAPIValidation ? ['--disable-openapi-validation'] : [])];
}

function actOf(request: ReleaseRequest, { major, description }: ActOptions): readonly string[] {
  const flags = [...(request.wait ? ['--wait'] : []), ...applyFlags(major, request.force)];
  return [...timeoutOf(request.timeoutSeconds), '--description', description, ...flags, ...renderingOf(request), ...JSON_OUTPUT];
}

function timeoutOf(seconds: number): readonly string[] {
  return ['--timeout', `${seconds}s`];
}

function namespaceOf({ namespace }: ReleaseRef): readonly string[] {
  return ['--namespace', namespace];
}

/**
 * What Helm does about fields that somebody else set since. Helm 3 overwrites them; Helm 4 applies on the server, where a release whose objects drifted could
 * not be upgraded any more, so it takes them as well (record 0121). By force objects are replaced, which Helm 4 refuses to do on the server.
 */
function applyFlags(major: Major, isForced: boolean): readonly string[] {
  if (major === 3) return isForced ? ['--force'] : [];
  return isForced ? ['--force-replace', '--server-side=false'] : ['--server-side=true', '--force-conflicts'];
}
