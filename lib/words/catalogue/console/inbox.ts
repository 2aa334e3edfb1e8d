import type { CountedNames } from '../../figures';
import { formatNamespaces, formatNumber } from '../../figures';
import { catalogue } from '../catalogue';

/** What the inbox says. */
export const t = catalogue({
  needsYou: 'Needs you',
  nothingNeedsYou: 'Nothing needs you.',
  failing: 'Failing',
  nothingIsFailing: 'Nothing is failing.',
  inProgress: 'In progress',
  nothingIsInProgress: 'Nothing is in progress.',
  inbox: 'Inbox',
  application: 'application',
  applications: 'applications',
  waitingFailingMovingInAll: ({
    waits,
    failing,
    moving,
    applications,
    part,
  }: {
    readonly waits: number;
    readonly failing: number;
    readonly moving: number;
    readonly applications: number;
    readonly part: string;
  }) =>
    `${formatNumber(waits)} waiting, ${formatNumber(failing)} failing, ${formatNumber(moving)} in progress, ${formatNumber(applications)} ${part}`,
  readingWhatNeedsYou: 'Reading what needs you.',
  nothingNeedsYouTitle: 'Nothing needs you',
  searchTheInbox: 'Search the inbox',
  kind: 'Kind',
  allKinds: 'All kinds',
  kinds: {
    rollout: 'rollout',
    application: 'application',
    release: 'release',
    source: 'source',
    tracker: 'tracker',
    cluster: 'cluster',
  },
  clearFilters: 'Clear filters',
  nothingMatches: 'Nothing matches the filters',
  ofAll: (shown: number, total: number) => `${formatNumber(shown)} of ${formatNumber(total)}`,
  ofAllWaiting: (shown: number, waiting: number) => `${formatNumber(shown)} listed, ${formatNumber(waiting)} waiting in all`,
  entries: { one: 'entry', many: 'entries' },
  changeTheFilters: 'Change the text, the namespace or the kind above.',
  rolloutsThatWaitAtA: 'Rollouts that wait at a gate, failing objects and changes in progress appear here, most urgent first.',
  in: (ns: string) => ` in ${ns}`,
  startARollout: 'Start a rollout',
  onTheSimulatedCluster: 'on the simulated cluster',
  newImageOfIn: (name: string, name2: string) => `New image of ${name} in ${name2}`,
  runsNow: (image: string) => `Runs ${image} now.`,
  enterAnImageOtherThan: 'Enter an image other than the running one.',
  waitUntilThePreviewIs: 'Wait until the preview is shown.',
  seeWhatItDoes: 'Preview',
  startTheRollout: 'Start the rollout',
  youFirstPreviewTheChange: 'You preview the change first, object by object. Slipway then applies exactly that, or nothing.',
  aNewRevisionIsCreated: 'A new revision is created with no replicas.',
  stageByStageItTakes: 'Stage by stage it takes over replicas and traffic from the running one.',
  atAGateItWaits: 'At a gate it waits for approval. Before you approve, you see the next stage and what will be deleted.',
  youCanPauseItOr: 'You can pause it, or abort it and go back, at any time.',
  waitsForOthers: 'Waits for others',
  count: (count: number, hasMore: boolean) => `${formatNumber(count)}${hasMore ? '+' : ''}`,
  waitingForYou: (count: number, hasMore: boolean, within: CountedNames | undefined) =>
    `${formatNumber(count)}${hasMore ? ' or more' : ''} waiting for you${within === undefined ? '' : `, in ${formatNamespaces(within)}`}`,
  alsoWaiting: 'Also waiting',
  onlyTheMostUrgent: (count: number) => `Who may decide is checked for the ${formatNumber(count)} most urgent entries only.`,
  snoozed: 'Snoozed',
  waitsFor: (title: string, who: string) => {
    if (/\bwaits$/i.test(title)) return `${title} for ${who}`;
    if (!/\bwaits for approval$/i.test(title)) return `${title}, waits for ${who}`;
    return who === 'you' ? title.replace(/approval$/, 'your approval') : `${title} by ${who}`;
  },
  snooze: (name: string) => `Snooze ${name}`,
  until: <A>(time: A) => ['until ', time],
  bringBack: (name: string) => `Bring ${name} back`,
  snoozeInThisBrowserOr: 'Snooze in this browser; a change brings it back',
  for1Hour: 'For 1 hour',
  for4Hours: 'For 4 hours',
  untilTomorrow: 'Until tomorrow, 9:00',
  notifyMe: 'Notify me',
  stopNotifyingMe: 'Stop notifying me',
  slipwayWaitsForYou: 'Slipway: waiting for you',
  thisBrowserHasNoNotifications: 'This browser does not support notifications.',
  thisBrowserBlocksNotifications: 'This browser blocks notifications from this site. Allow them in its settings.',
  notificationsWereNotAllowed: 'Notifications stay off: the browser was not allowed to show them.',
  thisBrowserKeepsNoSettings: 'This browser stores no settings for this site.',
});
