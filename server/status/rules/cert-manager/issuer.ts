import type { StatusRule } from '../rule';
import { ISSUER_ROWS } from './issuer-rows';

export const issuer: StatusRule = { kind: 'cert-manager.io/Issuer', rows: [...ISSUER_ROWS] };
