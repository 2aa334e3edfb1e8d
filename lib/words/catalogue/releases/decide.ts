import { formatCount } from '../../figures';
import { catalogue } from '../catalogue';

/** What dialogs that decide about a release says. */
export const t = catalogue({
  forIsOnRecordWhat: (word: string, name: string) =>
    `${word} for ${name} is recorded. The result appears here once chart sync has answered.`,
  releaseIn: (name: string, namespace: string) => `Release ${name} in ${namespace}`,
  sending: 'Sending…',
  chooseARevisionAndSee: 'Choose a revision to preview the rollback.',
  seeFirstWhichRevisionIs: 'Check first which revision is pending.',
  inForceRequestedNow: (sentence: string, looser: string) => `In force: ${sentence}. Requested now: ${looser}.`,
  theCommit: 'The commit',
  checkingWhetherItCounts: 'Checking whether your approval would count.',
  couldNotCheckWhetherItCounts: (why: string) => `Could not check whether your approval would count: ${why}`,
  waitUntilTheChangesAreShown: 'Wait until the changes are shown.',
  theArchive: 'The archive',
  by: (author: string) => ` by ${author}`,
  created: 'created',
  changed: 'changed',
  deleted: 'deleted',
  leftAsReleased: 'left as released',
  readingWhatHelmStored: 'Reading what Helm stored.',
  revisionToGoBackTo: 'Revision to roll back to',
  chooseARevision: 'Choose a revision',
  noEarlierRevision: 'Helm has stored no earlier revision to roll back to.',
  chart: (chartVersion: string) => `, chart ${chartVersion}`,
  revision: (revision: number, status: string, part: string) => `Revision ${revision}, ${status}${part}`,
  comparingWhatHelmStoredOf: 'Comparing the two stored revisions.',
  whatGoingBackDoesTo: 'What the rollback does to each object',
  noObjectDiffers: 'no object differs',
  objects: (count: number) => formatCount(count, 'object'),
  fromRevisionToOf: ({
    from,
    to,
    part,
    count,
  }: {
    readonly from: number;
    readonly to: number;
    readonly part: string;
    readonly count: number;
  }) => `From revision ${from} to ${to}: ${part} of ${count}`,
  isDeletedWhatHelmUninstalls: (kind: string, name: string) =>
    `${kind} ${name} is deleted, and this is recorded. The uninstall by Helm follows.`,
  isDeletedAlone: (kind: string, name: string) => `${kind} ${name} is deleted, and this is recorded. Helm had stored no revision of it.`,
  uninstall: (name: string) => `Uninstall: ${name}`,
  uninstallTitle: 'Uninstall',
  isDeletedWithYourPermissions: (kind: string, name: string) => `${kind} ${name} is deleted with your permissions.`,
  theObjectsOfTheNewest: 'the objects of the newest revision',
  helmsUninstallFollowsItDeletes: (part: string) =>
    `Helm's uninstall follows: it deletes ${part} and every stored revision, so no rollback is possible.`,
  isDeletedAndStays: (kind: string, name: string, by: string) =>
    `${kind} ${name} is deleted, and this is recorded. Its release stays, since ${by} declares it too.`,
  staysFor: (by: string) => `Helm does not uninstall the release, since ${by} declares it too: its objects and stored revisions stay.`,
  nothingIsInstalled: 'Helm has stored no revision, so nothing is installed: only the resource is deleted.',
  theHelmReleaseStaysUntil:
    'The HelmRelease stays until Helm has uninstalled the release. A failure is retried, and this page shows the reason.',
  whatItsChartKeepsHelm:
    'Objects with helm.sh/resource-policy: keep, definitions in the crds folder of the chart, and volumes claimed by a StatefulSet stay.',
  whereTheResourceStandsIn: 'If the resource is also in git, whatever applies it from there creates it again, and the release with it.',
  whatIsKnownOfIt: 'What is known about it',
  helmHasStoredNothingOf: 'Helm has not stored it',
  revisionIs: (revision: number, status: string) => `Revision ${revision} is ${status}`,
  stored: <A>(ago: A) => [', stored ', ago],
  itsLastLine: (line: string) => `Its last line: ${line}`,
  noHelmOfSlipwayHas: 'Slipway has not run Helm on it since this server started',
  anotherReplicaActsOnReleases:
    'Only the replica that holds the Lease knows whether Helm is running on it; it is asked before anything is written',
  helmIsAtWorkOn: (command: string) => `helm ${command} is running on it now`,
  helmWasKilledAndNone: (command: string, signal: string) => `helm ${command} was killed (${signal}); Helm is not running on it now`,
  helmIsGoneAndNone: (command: string) =>
    `helm ${command} was started before this server, which did not see it end; Helm is not running on it now`,
  helmHasEndedAndNone: (command: string) => `helm ${command} has ended; Helm is not running on it now`,
});
