import { formatCount, formatNumber } from '../../figures';
import { catalogue } from '../catalogue';

/** What the graph of objects says. */
export const t = catalogue({
  nodesMatch: (count: number) => `${formatCount(count, 'node matches', 'nodes match')}, the others are faded.`,
  whereInTheGraphThis: 'Where in the graph this is',
  zoomOut: 'Zoom out',
  zoomIn: 'Zoom in',
  showAll: 'Show all',
  leadsTo: (count: number) => `leads to ${formatNumber(count)}`,
  ownsWhatGoesWithIts: 'owns: deleted with its owner',
  recordsATrackerAppliedIt: 'records: a tracker applied it',
  selectsSendsTrafficToIts: 'selects: sends traffic to its pods',
  routesForwardsRequests: 'routes: forwards requests',
  scalesSetsItsReplicas: 'scales: sets its replicas',
  linesOfTheGraph: 'Lines of the graph',
  alike: (count: number) => `${formatNumber(count)} alike`,
  layingOutNodes: (count: number) => `Laying out ${formatCount(count, 'node')}.`,
  theGraphCouldNotBe: 'The graph could not be laid out in this browser. The list shows the same objects.',
  groupAgain: 'Group again',
});
