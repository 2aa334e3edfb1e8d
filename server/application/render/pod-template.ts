import type { Fields } from '@/lib/kube/fields';
import { readFields, readList, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';

/** Changes the pod template of a workload: that of its pods, or of the pods of the jobs it makes. */
export function mapTemplate(workload: KubeObject, change: (template: Fields) => Fields): KubeObject {
  const spec = readFields(workload, 'spec');
  if (workload.kind !== 'CronJob') return { ...workload, spec: { ...spec, template: change(readFields(spec, 'template')) } };
  const jobTemplate = readFields(spec, 'jobTemplate');
  const jobSpec = readFields(jobTemplate, 'spec');
  return {
    ...workload,
    spec: { ...spec, jobTemplate: { ...jobTemplate, spec: { ...jobSpec, template: change(readFields(jobSpec, 'template')) } } },
  };
}

/** Changes one container of a workload; undefined when it has none of that name. */
export function mapContainer(workload: KubeObject, name: string, change: (container: Fields) => Fields): KubeObject | undefined {
  let found = false;
  const mapped = mapTemplate(workload, (template) => {
    const podSpec = readFields(template, 'spec');
    const containers = readList(podSpec, 'containers').map((container) => {
      if (readString(container, 'name') !== name) return container;
      found = true;
      return change(readFields(container));
    });
    return { ...template, spec: { ...podSpec, containers } };
  });
  return found ? mapped : undefined;
}
