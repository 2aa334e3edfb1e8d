import { z } from 'zod';
import type { Fields } from '@/lib/kube/fields';
import { readFields, readList } from '@/lib/kube/fields';

const mounted = { name: z.string(), mountPath: z.string() };
const keys = z.array(z.strictObject({ key: z.string(), path: z.string(), mode: z.number().int().default(511) })).optional();
const defaultMode = z.number().int().default(420);

/** Volumes as tasks list them: one list, each with its type. */
export const listedVolumes = z.array(
  z.preprocess(
    (value) => (typeof value === 'object' && value !== null && !('type' in value) ? { ...value, type: 'emptyDir' } : value),
    z.discriminatedUnion('type', [
      z.strictObject({ ...mounted, type: z.literal('emptyDir'), medium: z.enum(['', 'Memory']).default('') }),
      z.strictObject({ ...mounted, type: z.literal('pvc'), claimName: z.string() }),
      z.strictObject({ ...mounted, type: z.literal('configMap'), cmName: z.string(), defaultMode, items: keys }),
      z.strictObject({ ...mounted, type: z.literal('secret'), secretName: z.string(), defaultMode, items: keys }),
    ]),
  ),
);
export type ListedVolume = z.infer<typeof listedVolumes>[number];

/** A pod spec of one container with the volumes mounted into it besides those it has. */
export function withListedVolumes(podSpec: Fields, listed: readonly ListedVolume[]): Fields {
  if (listed.length === 0) return podSpec;
  const mounts = listed.map(({ name, mountPath }) => ({ name, mountPath }));
  const containers = readList(podSpec, 'containers').map((container) => ({
    ...readFields(container),
    volumeMounts: [...readList(container, 'volumeMounts'), ...mounts],
  }));
  return { ...podSpec, containers, volumes: [...readList(podSpec, 'volumes'), ...listed.map(toVolume)] };
}

function toVolume(volume: ListedVolume): Fields {
  const { name } = volume;
  switch (volume.type) {
    case 'emptyDir':
      return { name, emptyDir: volume.medium === '' ? {} : { medium: volume.medium } };
    case 'pvc':
      return { name, persistentVolumeClaim: { claimName: volume.claimName } };
    case 'configMap':
      return {
        name,
        configMap: { defaultMode: volume.defaultMode, name: volume.cmName, ...(volume.items ? { items: volume.items } : {}) },
      };
    case 'secret':
      return {
        name,
        secret: { defaultMode: volume.defaultMode, secretName: volume.secretName, ...(volume.items ? { items: volume.items } : {}) },
      };
  }
}
