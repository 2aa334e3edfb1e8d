import { summaryRows } from '../readings';
import { cel, condition, currentIf, failedIf, has, is, lacks, progressingIf, rulesFor, unobserved } from '../rows';
import type { RuleRow, StatusRule } from '../rule';

const ERRORS = ['ComparisonError', 'InvalidSpecError', 'SyncError', 'DeletionError', 'UnknownError'];

/** Conditions of an Application have no status: what is listed is so. */
const APPLICATION_ROWS: readonly RuleRow[] = [
  failedIf({ any: ERRORS.map((type) => condition(type)) }, '{condition.message}', '{condition.type}'),
  failedIf(is('.status.operationState.phase', 'Failed', 'Error'), '{.status.operationState.message|The last sync failed}', 'SyncFailed'),
  failedIf(is('.status.health.status', 'Degraded'), 'Application is degraded. {.status.health.message}', 'Degraded'),
  progressingIf(
    is('.status.operationState.phase', 'Running', 'Terminating'),
    '{.status.operationState.message|Application is syncing}',
    'Syncing',
  ),
  currentIf(is('.status.health.status', 'Healthy'), 'Application is healthy and {.status.sync.status|not compared}'),
  progressingIf(
    has('.status.health.status'),
    'Application is {.status.health.status}. {.status.health.message}',
    '{.status.health.status}',
  ),
  unobserved('Argo CD'),
];

const APPLICATION_SET_ROWS: readonly RuleRow[] = [
  failedIf(condition('ErrorOccurred', 'True')),
  failedIf(condition('ParametersGenerated', 'False')),
  failedIf(condition('ResourcesUpToDate', 'False')),
  progressingIf(condition('RolloutProgressing', 'True')),
  currentIf(condition('ResourcesUpToDate', 'True'), '{condition.message|ApplicationSet is up to date}'),
  unobserved('Argo CD'),
];

const PROPOSALS_DIFFER = cel(
  'object.status.environments.exists(one, one.proposed.dry.sha != object.status.environments[0].proposed.dry.sha)',
);

/** A promotion is under way while an environment runs another commit than the one proposed to it. */
const PROMOTION_ROWS: readonly RuleRow[] = [
  failedIf(
    cel('has(object.status.environments) && size(object.status.environments) == 0'),
    'PromotionStrategy has no environment',
    'NoEnvironments',
  ),
  progressingIf(
    cel(
      'object.status.environments.exists(one, !has(one.active.dry.sha) || one.active.dry.sha == "" || !has(one.proposed.dry.sha) || one.proposed.dry.sha == "")',
    ),
    'A branch has no commit yet: {.status.environments[*].branch}',
    'NoCommit',
  ),
  progressingIf(
    cel('object.status.environments.exists(one, one.active.dry.sha != one.proposed.dry.sha)'),
    'Promotion continues. Environments: {.status.environments[*].branch}',
    'Promoting',
  ),
  progressingIf(PROPOSALS_DIFFER, 'Environments have different proposals: the hydrator has not reached all of them', 'NotHydrated'),
];

const TRANSFER_ROWS: readonly RuleRow[] = [
  progressingIf(
    [condition('Ready', 'True'), lacks('.status.active.dry.sha')],
    'The active branch {.spec.activeBranch} has no commit yet',
    'NoCommit',
  ),
  progressingIf(
    [condition('Ready', 'True'), lacks('.status.proposed.dry.sha')],
    'The proposed branch {.spec.proposedBranch} has no commit yet',
    'NoCommit',
  ),
  progressingIf(
    cel('object.status.active.dry.sha != object.status.proposed.dry.sha'),
    'Promotion continues from {.status.active.dry.sha} to {.status.proposed.dry.sha}',
    'Promoting',
  ),
];

/** A gate tells a phase per environment beside Ready, which says only that it could be computed. */
const GATE_ROWS: readonly RuleRow[] = [
  failedIf(is('.status.environments[*].phase', 'failure'), 'A gate failed: {.status.environments[phase=failure].branch}', 'GateFailed'),
  progressingIf(
    is('.status.environments[*].phase', 'pending'),
    'A gate is pending: {.status.environments[phase=pending].branch}',
    'GatePending',
  ),
];

const [STALE, READY, ...UNREADY] = summaryRows({ by: 'GitOps Promoter' });

/** What Ready False or an old answer says comes first, then the rows of the kind, then Ready True. */
function promoterRows(rows: readonly RuleRow[]): readonly RuleRow[] {
  const [failed, unknown, none] = UNREADY;
  return [STALE, failed, ...rows, READY, unknown, none].filter((row) => row !== undefined);
}

export const ARGO_CD_RULES: readonly StatusRule[] = [
  { kind: 'argoproj.io/Application', rows: [...APPLICATION_ROWS] },
  { kind: 'argoproj.io/ApplicationSet', rows: [...APPLICATION_SET_ROWS] },
  ...rulesFor('promoter.argoproj.io', ['PromotionStrategy'], promoterRows(PROMOTION_ROWS)),
  ...rulesFor('promoter.argoproj.io', ['ChangeTransferPolicy'], promoterRows(TRANSFER_ROWS)),
  ...rulesFor('promoter.argoproj.io', ['GitCommitStatus', 'TimedCommitStatus', 'WebRequestCommitStatus'], promoterRows(GATE_ROWS)),
  ...rulesFor(
    'promoter.argoproj.io',
    ['ArgoCDCommitStatus'],
    promoterRows([
      failedIf(
        cel('has(object.status.applicationsSelected) && size(object.status.applicationsSelected) == 0'),
        'ArgoCDCommitStatus selects no Application',
        'NoApplications',
      ),
    ]),
  ),
  { kind: 'promoter.argoproj.io/*', rows: promoterRows([]).slice() },
];
