import type { StatusRule } from '../rule';
import { TOOLKIT_ROWS } from './toolkit-rows';

export const helmRelease: StatusRule = { kind: 'helm.toolkit.fluxcd.io/HelmRelease', rows: [...TOOLKIT_ROWS] };
