import { z } from 'zod';
import type { KubeObject } from '@/lib/kube/object';
import type { ResourceStatus } from '@/server/status';
import { parseObjMetadata } from '@/server/status/identifier';
import type { StatusError } from '@/server/status/resource-status';
import { STATUSES } from '@/server/status/result';

export const kubeObject = z.custom<KubeObject>();
export const status = z.enum(STATUSES);
export const identifier = z.object({ namespace: z.string(), name: z.string(), group: z.string(), kind: z.string() });

export const apiError = z.object({
  verb: z.enum(['list', 'get']),
  group: z.string().optional(),
  kind: z.string(),
  namespace: z.string().optional(),
  name: z.string().optional(),
  page: z.literal('continued').optional(),
  code: z.number().optional(),
  reason: z.string().optional(),
  message: z.string().optional(),
  cause: z.enum(['cancelled', 'deadline', 'rateLimit']).optional(),
});

export const typeDefinition = z.object({
  group: z.string(),
  version: z.string(),
  kind: z.string(),
  resource: z.string(),
  scope: z.enum(['Namespaced', 'Cluster']),
  fromTick: z.number().optional(),
  untilTick: z.number().optional(),
  fromStep: z.number().optional(),
});

export const mapperError = z.object({ group: z.string(), kind: z.string(), message: z.string(), fromTick: z.number().optional() });

export interface StatusView {
  readonly identifier: string;
  readonly status: string;
  readonly message: string;
  readonly error?: string | undefined;
  readonly errorContains?: string | undefined;
  readonly resource?: boolean | undefined;
  readonly object?: KubeObject | undefined;
  readonly generation?: number | undefined;
  readonly generated?: readonly StatusView[] | undefined;
}

export const statusView: z.ZodType<StatusView> = z.lazy(() =>
  z.object({
    identifier: z.string(),
    status: z.string(),
    message: z.string(),
    error: z.string().optional(),
    errorContains: z.string().optional(),
    resource: z.boolean().optional(),
    object: kubeObject.optional(),
    generation: z.number().optional(),
    generated: z.array(statusView).optional(),
  }),
);

export const pollingCase = z.object({
  id: z.string(),
  subject: z.string(),
  given: z.record(z.string(), z.unknown()),
  // biome-ignore lint/suspicious/noThenProperty: the case files name their expectation so
  then: z.record(z.string(), z.unknown()),
});

export type ApiErrorDefinition = z.infer<typeof apiError>;
export type TypeDefinition = z.infer<typeof typeDefinition>;
export type MapperError = z.infer<typeof mapperError>;
export type PollingCase = z.infer<typeof pollingCase>;

/** A status as a case writes it; a generation stands for an object that has it. */
export function fromView(view: StatusView): ResourceStatus {
  const { apiVersion, ...rest } = parseIdentifier(view.identifier);
  const resource =
    view.object ??
    (view.generation === undefined
      ? undefined
      : { apiVersion, kind: rest.kind, metadata: { name: rest.name, generation: view.generation } });
  return {
    identifier: rest,
    status: status.parse(view.status),
    message: view.message,
    generated: (view.generated ?? []).map(fromView),
    ...(resource ? { resource } : {}),
    ...(view.error === undefined ? {} : { error: textError(view.error) }),
  };
}

export function textError(text: string): StatusError {
  return { kind: 'transport', text };
}

function parseIdentifier(text: string) {
  const parsed = parseObjMetadata(text);
  return { ...parsed, apiVersion: parsed.group === '' ? 'v1' : `${parsed.group}/v1` };
}
