import type { StatusRule } from '../rule';
import { TOOLKIT_ROWS } from './toolkit-rows';

export const kustomization: StatusRule = { kind: 'kustomize.toolkit.fluxcd.io/Kustomization', rows: [...TOOLKIT_ROWS] };
