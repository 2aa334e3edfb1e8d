import { z } from 'zod';

/** What a person may do with one application; `create` is about its namespace. */
export const APPLICATION_VERBS = ['change', 'decide', 'put-back', 'create', 'delete'] as const;
export type ApplicationVerb = (typeof APPLICATION_VERBS)[number];

/** What the signed-in person may do with one application, verb by verb; null means allowed, else the sentence. */
export const applicationRights = z.record(z.enum(APPLICATION_VERBS), z.string().nullable());
export type ApplicationRights = z.infer<typeof applicationRights>;

/** Whether the signed-in person may create an application in any namespace at all, and the commands that let them in all. */
export const createRights = z.object({ create: z.string().nullable(), grant: z.array(z.string()) });
export type CreateRights = z.infer<typeof createRights>;
