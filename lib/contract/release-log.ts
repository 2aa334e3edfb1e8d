import { z } from 'zod';

const line = z.object({ at: z.string(), text: z.string(), times: z.number() });

/** What Helm wrote while it changed a release, or while it changes it; values are masked. */
export const helmLog = z.object({
  log: z
    .object({
      command: z.string(),
      since: z.string(),
      /** When it ended; null while it runs. */
      until: z.string().nullable(),
      /** The newest lines, oldest first. */
      lines: z.array(line),
      /** How many lines came before them. */
      earlier: z.number(),
    })
    .nullable(),
  /** Whether Helm is driven by another replica, which knows what it wrote. */
  isElsewhere: z.boolean(),
});
export type HelmLogView = z.infer<typeof helmLog>;

const hook = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  ns: z.string(),
  name: z.string(),
  /** The events at which Helm makes it, such as `pre-upgrade`. */
  events: z.array(z.string()),
  lastRun: z.object({ phase: z.string(), startedAt: z.string().nullable(), completedAt: z.string().nullable() }).nullable(),
  /** Whether it runs containers that write a log. */
  hasLog: z.boolean(),
});

/** The hooks of the newest revision that Helm stored. */
export const releaseHooks = z.object({
  hooks: z.array(hook),
  /** The definitions in the crds folder of its chart that are not installed as the chart has them, by name: Helm upgrades none. */
  definitions: z.array(z.string()).default([]),
});
export type ReleaseHooks = z.infer<typeof releaseHooks>;

/** What the containers of a hook wrote, values masked. */
export const hookLog = z.object({
  containers: z.array(
    z.object({
      pod: z.string(),
      container: z.string(),
      /** The newest lines. */
      text: z.string(),
      /** Why there is none: the sentence of the cluster. */
      why: z.string().nullable(),
    }),
  ),
});
export type HookLog = z.infer<typeof hookLog>;
