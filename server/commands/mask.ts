export { carriesMask, MASK, maskSecrets } from '@/lib/kube/mask';
