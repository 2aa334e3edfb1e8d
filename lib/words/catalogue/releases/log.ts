import { formatCount } from '../../figures';
import { catalogue } from '../catalogue';

/** What logs and hooks of a release says. */
export const t = catalogue({
  readingWhatHelmWrote: 'Reading the Helm output.',
  anotherReplicaRunsHelmAnd: 'Only the replica that runs Helm has its output: the one that holds the Lease.',
  helmHasNotChangedThis: 'Helm has not changed this release since the server started. Dry runs are not logged here.',
  running: 'Running',
  ended: 'Ended',
  helm: (command: string) => `helm ${command}`,
  started: 'started ',
  endedInline: 'ended ',
  earlierLinesNotKept: (earlier: number) => `${formatCount(earlier, 'earlier line')} not kept.`,
  whatHelmWrote: 'Helm output',
  times: (times: number) => `(${times} times)`,
  helmHasWrittenNothingYet: 'No Helm output yet.',
  helmWroteNothing: 'No Helm output.',
  hooks: 'Hooks',
  readingTheHooksThatHelm: 'Reading the hooks that Helm stored.',
  notRun: 'Not run',
  logOf: (kind: string, name: string) => `Log of ${kind} ${name}`,
  hideLog: 'Hide log',
  showLog: 'Show log',
  readingTheLogAsYou: 'Reading the log with your permissions.',
  noPodOfThisHook: 'This hook has no pod: Helm deletes hooks after they succeed, or before they run again, where the chart says so.',
  of: (container: string, pod: string) => `${container} of ${pod}`,
  ofPod: (container: string, pod: string) => `${container} of pod ${pod}`,
  logOfOf: (container: string, pod: string) => `Log of ${container} of ${pod}`,
  itWroteNothing: 'No output.',
  theNewest200LinesOf: 'The newest 200 lines of each container, values of the release masked.',
});
