import { z } from 'zod';
import type { KubeObject } from '@/lib/kube/object';

const flag = z.enum([
  'deletionAllowed',
  'reconciliationCanceled',
  'resourceCanceled',
  'updateAllowed',
  'updateNecessary',
  'finalizersKept',
]);

const behaviour = z.object({
  read: z.array(flag).optional(),
  readLoggerMeta: z.boolean().optional(),
  set: z.array(flag).optional(),
  cancel: z.array(z.enum(['resource', 'reconciliation'])).optional(),
  pauseMs: z.number().optional(),
  throw: z.string().optional(),
  throwTimes: z.number().optional(),
  return: z.unknown().optional(),
  patch: z.object({ create: z.unknown(), delete: z.unknown(), update: z.unknown() }).partial().nullish(),
});

const wrap = z.union([
  z.object({ retry: z.object({ backOff: z.literal('zero').optional(), maxRetries: z.number().optional() }) }),
  z.object({ metrics: z.object({ service: z.string() }) }),
]);

export const resourceDefinition = z.object({
  type: z.enum(['plain', 'crud']),
  name: z.string(),
  on: z.record(z.string(), behaviour).optional(),
  wrap: z.array(wrap).optional(),
});

export const initCtx = z
  .object({
    install: z.array(flag).optional(),
    setBeforeReturn: z.array(flag).optional(),
    throw: z.string().optional(),
    replaceWithBareContext: z.boolean().optional(),
  })
  .nullish();

export const resourceSetDefinition = z.object({
  name: z.string(),
  handles: z.boolean(),
  resources: z.array(resourceDefinition).optional(),
  initCtx,
});

export const contextDefinition = z.object({
  installed: z.array(flag).optional(),
  set: z.array(flag).optional(),
  loggerMeta: z.record(z.string(), z.unknown()).optional(),
});

export const expectedError = z.object({ class: z.string(), message: z.string().optional() }).nullable();

export const frameworkCase = z.object({
  id: z.string(),
  given: z.record(z.string(), z.unknown()),
  when: z.looseObject({ call: z.string() }),
  // biome-ignore lint/suspicious/noThenProperty: the case files name their expectation so
  then: z.record(z.string(), z.unknown()),
});

export const anyObject = z.custom<KubeObject>();

export type FlagName = z.infer<typeof flag>;
export type Behaviour = z.infer<typeof behaviour>;
export type ResourceDefinition = z.infer<typeof resourceDefinition>;
export type ResourceSetDefinition = z.infer<typeof resourceSetDefinition>;
export type InitCtxDefinition = z.infer<typeof initCtx>;
export type ContextDefinition = z.infer<typeof contextDefinition>;
export type ExpectedError = z.infer<typeof expectedError>;
export type FrameworkCase = z.infer<typeof frameworkCase>;
