import { z } from 'zod';
import { health } from './health';

export const MAX_PODS = 200;

/** Processor time in cores and memory in bytes; null where nothing says. */
const amounts = z.object({ cpu: z.number().nullable(), memory: z.number().nullable() });
export type Amounts = z.infer<typeof amounts>;

/** A container of a pod. */
export const podContainer = z.object({
  name: z.string(),
  kind: z.enum(['init', 'container', 'ephemeral']),
  image: z.string(),
  phase: z.enum(['waiting', 'running', 'ended']),
  ready: z.boolean(),
  restarts: z.number(),
  /** Since when it runs. */
  startedAt: z.string().nullable(),
  /** Why it waits; empty while it runs. */
  waits: z.string(),
  /** How its latest run ended; null while it goes on. */
  exit: z.string().nullable(),
  exitedAt: z.string().nullable(),
  /** How the run before its latest restart ended. */
  exitBefore: z.object({ how: z.string(), at: z.string().nullable() }).nullable(),
  requests: amounts,
  limits: amounts,
  /** What it uses, where the cluster measures that. */
  usage: amounts.nullable(),
});
export type PodContainer = z.infer<typeof podContainer>;

export const podRow = z.object({
  key: z.string(),
  ns: z.string(),
  name: z.string(),
  phase: z.string(),
  /** Why the pod is as it is, such as Evicted; empty where it says nothing. */
  reason: z.string(),
  health,
  message: z.string(),
  node: z.string().nullable(),
  address: z.string().nullable(),
  createdAt: z.string().nullable(),
  deletingSince: z.string().nullable(),
  containers: z.array(podContainer),
});
export type PodRow = z.infer<typeof podRow>;

/** The pods of an object, the worst first, with what they use. */
export const podsPage = z.object({
  pods: z.array(podRow),
  /** Pods that are not sent. */
  more: z.number(),
  /** Namespaces whose pods the person may not read. */
  hidden: z.array(z.string()),
  /** Why no usage is told; null where it is. */
  unmeasured: z.string().nullable(),
  readAt: z.string(),
});
export type PodsPage = z.infer<typeof podsPage>;
