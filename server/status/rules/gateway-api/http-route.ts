import type { StatusRule } from '../rule';
import { ROUTE_ROWS } from './route-rows';

export const httpRoute: StatusRule = { kind: 'gateway.networking.k8s.io/HTTPRoute', rows: [...ROUTE_ROWS] };
