import { z } from 'zod';
import type { Fields } from '@/lib/kube/fields';
import { LABEL } from '@/server/dispatch';
import { parseAt } from '../spec/fault';
import type { ComponentSpec } from '../spec/model';
import type { ComponentContext, ComponentDraft, ComponentType } from './component-type';
import { EMPTY_DRAFT } from './component-type';
import type { ContainerParameters } from './container';
import { containerParameters, toPodSpec } from './container';
import type { ListedVolume } from './listed-volumes';
import { listedVolumes, withListedVolumes } from './listed-volumes';

const taskParameters = {
  ...containerParameters,
  count: z.number().int().min(1).default(1),
  restart: z.enum(['Never', 'OnFailure']).default('Never'),
  volumes: listedVolumes.optional(),
};

export const taskSchema = z.strictObject(taskParameters);
export const cronTaskSchema = z.strictObject({
  ...taskParameters,
  schedule: z.string().min(1),
  startingDeadlineSeconds: z.number().int().min(0).optional(),
  suspend: z.boolean().default(false),
  concurrencyPolicy: z.enum(['Allow', 'Forbid', 'Replace']).default('Allow'),
  successfulJobsHistoryLimit: z.number().int().min(0).default(3),
  failedJobsHistoryLimit: z.number().int().min(0).default(1),
  ttlSecondsAfterFinished: z.number().int().min(0).optional(),
  activeDeadlineSeconds: z.number().int().min(1).optional(),
  backoffLimit: z.number().int().min(0).default(6),
});

interface TaskParameters extends ContainerParameters {
  readonly count: number;
  readonly restart: string;
  readonly volumes?: readonly ListedVolume[] | undefined;
}

function propertiesPlace(context: ComponentContext, what: string) {
  return { ...context.place, path: [...context.place.path, 'properties'], what };
}

function metadataOf(component: ComponentSpec, { application }: ComponentContext, { labels, annotations }: ContainerParameters) {
  const identity = { [LABEL.appName]: application, [LABEL.component]: component.name };
  return { labels: { ...labels, ...identity }, ...(annotations ? { annotations } : {}) };
}

function jobSpecOf(component: ComponentSpec, context: ComponentContext, parameters: TaskParameters, more: Fields = {}) {
  const podSpec = withListedVolumes(toPodSpec(component.name, parameters, []), parameters.volumes ?? []);
  return {
    parallelism: parameters.count,
    completions: parameters.count,
    ...more,
    template: { metadata: metadataOf(component, context, parameters), spec: { restartPolicy: parameters.restart, ...podSpec } },
  };
}

const draftOf = (workload: ComponentDraft['workload']): ComponentDraft => ({ ...EMPTY_DRAFT, workload });

/** Runs to its end once per content: a Job, named by what it runs once the traits are laid over it. */
export const task: ComponentType = {
  rollable: false,
  draft(component, context) {
    const parameters = parseAt(taskSchema, component.properties ?? {}, propertiesPlace(context, 'a task'));
    const metadata = { name: component.name, namespace: context.namespace };
    return draftOf({ apiVersion: 'batch/v1', kind: 'Job', metadata, spec: jobSpecOf(component, context, parameters) });
  },
};

/** Runs to its end again and again: a CronJob. */
export const cronTask: ComponentType = {
  rollable: false,
  draft(component, context) {
    const parameters = parseAt(cronTaskSchema, component.properties ?? {}, propertiesPlace(context, 'a cron-task'));
    const { schedule, startingDeadlineSeconds, suspend, concurrencyPolicy, successfulJobsHistoryLimit, failedJobsHistoryLimit } =
      parameters;
    const { ttlSecondsAfterFinished, activeDeadlineSeconds, backoffLimit } = parameters;
    const limits = {
      ...(ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished }),
      ...(activeDeadlineSeconds === undefined ? {} : { activeDeadlineSeconds }),
      backoffLimit,
    };
    return draftOf({
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: component.name, namespace: context.namespace },
      spec: {
        schedule,
        concurrencyPolicy,
        suspend,
        successfulJobsHistoryLimit,
        failedJobsHistoryLimit,
        ...(startingDeadlineSeconds === undefined ? {} : { startingDeadlineSeconds }),
        jobTemplate: { metadata: metadataOf(component, context, parameters), spec: jobSpecOf(component, context, parameters, limits) },
      },
    });
  },
};
