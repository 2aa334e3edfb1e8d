import type { KindRule } from '../kind-rule';
import { current, failed, inProgress } from '../result';

/** The first condition that says something decides, so the order of the list matters. */
export const computeCustomResourceDefinition: KindRule = (_object, conditions) => {
  for (const { type, status, reason, message } of conditions) {
    if (type === 'NamesAccepted' && status === 'False') return failed(reason, message);
    if (type !== 'Established') continue;
    if (status === 'False' && reason !== 'Installing') return failed(reason, message);
    if (status === 'True') return current('CRD is established');
  }
  return inProgress('Installing', 'Install in progress');
};
