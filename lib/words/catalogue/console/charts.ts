import { formatNumber } from '@/lib/words/figures';
import { catalogue } from '../catalogue';

/** What charts says. */
export const t = catalogue({
  stageBounds: 'Stage bounds',
  desired: 'Desired',
  actual: 'Actual',
  time: 'Time',
  stageMin: 'Stage min',
  stageMax: 'Stage max',
  noValues: 'No values recorded for this time.',
  lastKnownValues: 'Last known values',
  lastKnownDesired: 'Last known desired',
  lastKnownActual: 'Last known actual',
  exactly: (count: number) => `exactly ${formatNumber(count)}`,
  labelled: (label: string, values: string) => `${label}: ${values}`,
});
