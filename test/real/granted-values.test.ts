import { afterAll, beforeAll } from 'vitest';
import { defineGrantedValues } from '../house/granted-values-house';
import type { ControlPlane } from './control-plane';
import { startControlPlane } from './control-plane';

// On the plane that suites share, others have the server's group bound to all of the cluster.
const shared = process.env.KUBECONFIG;
let plane: ControlPlane | undefined;

beforeAll(async () => {
  plane = await startControlPlane();
  process.env.KUBECONFIG = plane.kubeconfig;
});
afterAll(async () => {
  process.env.KUBECONFIG = shared;
  await plane?.[Symbol.asyncDispose]();
});

defineGrantedValues('real');
