import { catalogue } from '../catalogue';

/** What charts says. */
export const t = catalogue({
  stageBounds: 'Stage bounds',
  desired: 'Desired',
  actual: 'Actual',
  time: 'Time',
  stageMin: 'Stage min',
  stageMax: 'Stage max',
});
