import type { StatusRule } from '../rule';
import { ROUTE_ROWS } from './route-rows';

export const grpcRoute: StatusRule = { kind: 'gateway.networking.k8s.io/GRPCRoute', rows: [...ROUTE_ROWS] };
