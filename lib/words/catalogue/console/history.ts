import { formatCount, formatNumber } from '../../figures';
import { catalogue } from '../catalogue';

/** What the last weeks of rollouts say. */
export const t = catalogue({
  last8Weeks: 'Last 8 weeks',
  fromTheRecord: 'from the record',
  allRolloutsOnRecord: 'All recorded rollouts',
  readingTheLastWeeks: 'Reading the last weeks from the record.',
  noRolloutBegan: 'The record has no rollout that began in the last 8 weeks.',
  noneThatYouMaySeeBegan: 'The record has no rollout that you may see and that began in the last 8 weeks.',
  byWeekOf: (label: string) => `${label} by week`,
  weekAndValue: (week: string, value: string) => `${week} ${value}`,
  none: 'none',
  howTheseAreCounted: 'How these are counted',
  weeks: 'Weeks',
  aWeekBegins: 'Weeks begin on Monday at 0:00 UTC; the current one is not over.',
  figuresBegin: <Time>(time: Time) => [' Only the newest part of the record is read: figures begin at ', time, '.'],
  rollouts: 'Rollouts',
  rolloutsMeans: 'Attempts to reach a revision, by the week in which they began. First deployments, retries and rollbacks count.',
  inProgressCount: (count: number) => (count === 0 ? 'none in progress' : `${formatNumber(count)} in progress`),
  succeeded: 'Succeeded',
  succeededMeans: 'Completed rollouts as a share of all that completed or were aborted. Superseded rollouts do not count.',
  completedAborted: (completed: number, aborted: number) => `${formatNumber(completed)} completed, ${formatNumber(aborted)} aborted`,
  leadTime: 'Lead time',
  leadTimeMeans:
    'From the creation of the revision, or from the decision to retry or roll back, until all traffic goes to it. Median of completed rollouts.',
  medianOf: (count: number) => `median of ${formatNumber(count)}`,
  timeToRollBack: 'Time to roll back',
  timeToRollBackMeans:
    'From the decision to abort or to roll back until all traffic goes to the previous revision again. Median of rollouts that went back.',
  noneWentBack: 'no rollbacks',
  waitingForPeople: 'Waiting for people',
  waitingForPeopleMeans:
    'From the end of a stage, or from the start, to the decisions that opened its gate, summed per rollout. Median of rollouts that waited.',
  medianOfRollouts: (count: number) => (count === 0 ? 'no wait has ended' : `median of ${formatCount(count, 'rollout')}`),
  rollout: 'Rollout',
  retry: 'Retry',
  rollback: 'Rollback',
  completed: 'Completed',
  aborted: 'Aborted',
  superseded: 'Superseded',
  inProgress: 'In progress',
  waited: 'Waited for people',
  wentBack: 'Went back',
});
