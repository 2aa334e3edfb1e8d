import type { KindRule } from '../kind-rule';
import { current } from '../result';

/** Only an unobserved generation holds a budget back. */
export const computePodDisruptionBudget: KindRule = () => current('AllowedDisruptions has been computed.');
