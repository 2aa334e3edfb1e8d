import { formatCount, formatPercent } from '../../figures';
import { catalogue } from '../catalogue';

/** What pods and containers says. */
export const t = catalogue({
  cpu: 'CPU',
  memory: 'Memory',
  used: 'used',
  requested: (amount: string) => `${amount} requested`,
  of: (amount: string) => ` of ${amount}`,
  ofWhatIsRequested: (name: string, percent: number) => `${name}: ${formatPercent(percent)} of the request`,
  runsBeforeTheOthers: 'runs before the others',
  forDebugging: 'for debugging',
  containers: 'Containers',
  readingTheContainersOf: (name: string) => `Reading the containers of ${name}.`,
  onNoNodeYet: 'not scheduled yet',
  on: <A>(link: A, part: string) => ['on ', link, part],
  restarts: 'Restarts',
  lastExit: 'Last exit',
  limit: <A>(amount: A) => ['limit ', amount],
  waits: (waits: string) => `waiting: ${waits}`,
  runs: 'running',
  runsNotReady: 'running, not ready',
  itsStart: 'its start',
  since: <A>(part: string, ago: A) => [part, ' since ', ago],
  pods: 'Pods',
  readingThePodsOf: (name: string) => `Reading the pods of ${name}.`,
  restartsAfter: (restarts: number) => formatCount(restarts, 'restart'),
  notMeasuredYet: (pods: number) => `metrics.k8s.io has no usage of ${formatCount(pods, 'running pod')} yet.`,
  morePodsAreNotShown: (more: number) => `${formatCount(more, 'more pod is', 'more pods are')} not shown; worst first.`,
  youMayNotReadPods: (names: string) => `You may not read pods in ${names}.`,
  noPodRunsHereNow: 'No pod is running here.',
  pod: 'Pod',
  state: 'State',
  ready: 'Ready',
  node: 'Node',
  noneYet: 'none yet',
  age: 'Age',
  onAfter: (node: string) => `, on ${node}`,
  readyRestarts: <A>({
    podState,
    ready,
    restarts,
    count,
    part,
  }: {
    readonly podState: string;
    readonly ready: string;
    readonly restarts: A;
    readonly count: number;
    readonly part: string;
  }) => [podState, ', ', ready, ' ready, ', restarts, count === 1 ? ' restart' : ' restarts', part],
  lastExitRich: <A>(lastExit: A) => ['Last exit: ', lastExit],
  terminal: 'Terminal',
  inContainer: (name: string) => ` in ${name}`,
});
