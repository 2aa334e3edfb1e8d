import { defineOverlapHouse } from '../house/overlap-house';

defineOverlapHouse('real', [
  { replicas: 20, ratio: 20, overlap: true },
  { replicas: 20, ratio: 20, overlap: false },
  { replicas: 400, ratio: 20, overlap: true },
]);
