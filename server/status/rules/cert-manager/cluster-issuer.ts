import type { StatusRule } from '../rule';
import { ISSUER_ROWS } from './issuer-rows';

export const clusterIssuer: StatusRule = { kind: 'cert-manager.io/ClusterIssuer', rows: [...ISSUER_ROWS] };
