import { expect, it } from 'vitest';
import { countKind } from '@/lib/kube/kinds';

it.each([
  [1, 'Ingress', '1 Ingress'],
  [2, 'Ingress', '2 Ingresses'],
  [3, 'NetworkPolicy', '3 NetworkPolicies'],
  [4, 'Gateway', '4 Gateways'],
  [5, 'Endpoints', '5 Endpoints'],
  [0, 'ConfigMap', '0 ConfigMaps'],
])('[design 9] %i of the kind %s are called %s', (count, kind, words) => {
  expect(countKind(count, kind)).toBe(words);
});
