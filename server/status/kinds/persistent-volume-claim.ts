import type { KindRule } from '../kind-rule';
import { stringOr } from '../object-fields';
import { current, inProgress } from '../result';

export const computePersistentVolumeClaim: KindRule = (object) => {
  const phase = stringOr(object, 'status.phase', 'unknown');
  return phase === 'Bound' ? current('PVC is Bound') : inProgress('NotBound', `PVC is not Bound. phase: ${phase}`);
};
