import { t } from '@/lib/words/catalogue/delivery/editor';
import { manifests } from '@/lib/words/catalogue/delivery/manifests';

/** A text that a new application may start from. */
export interface Template {
  readonly id: string;
  readonly label: string;
  readonly text: string;
}

/** What a new application may start from; the first one is shown unasked. */
export const TEMPLATES: readonly [Template, ...Template[]] = [
  { id: 'staged', label: t.webServiceInStages, text: manifests.staged },
  { id: 'approved', label: t.webServiceWithAGate, text: manifests.approved },
  { id: 'worker', label: t.workerWithAutoscaling, text: manifests.worker },
  { id: 'task', label: t.scheduledTask, text: manifests.task },
  { id: 'objects', label: t.plainKubernetesObjects, text: manifests.objects },
];
