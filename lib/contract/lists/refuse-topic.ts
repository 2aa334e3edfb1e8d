import { refuseSelector } from '@/lib/kube/labels/refuse-selector';
import type { Topic } from '../topic';

/** Why the filters of a topic cannot be read, in a sentence; null where they can. */
export function refuseTopic(topic: Topic): string | null {
  const labels = 'query' in topic && 'labels' in topic.query ? topic.query.labels : undefined;
  return labels === undefined ? null : refuseSelector(labels);
}
