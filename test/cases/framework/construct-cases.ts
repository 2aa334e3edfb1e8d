import { z } from 'zod';
import { DefaultBackOffFactory } from '@/server/framework/operatorkit/back-off';
import type { CRDClientConfig } from '@/server/framework/operatorkit/crd-client';
import { CRDClient } from '@/server/framework/operatorkit/crd-client';
import type { FrameworkConfig } from '@/server/framework/operatorkit/events/framework';
import { Framework } from '@/server/framework/operatorkit/events/framework';
import type { CRUDResourceConfig } from '@/server/framework/operatorkit/resource/crud-resource';
import { CRUDResource } from '@/server/framework/operatorkit/resource/crud-resource';
import type { ResourceRouterConfig } from '@/server/framework/operatorkit/resource/resource-router';
import { ResourceRouter } from '@/server/framework/operatorkit/resource/resource-router';
import type { ResourceSetConfig } from '@/server/framework/operatorkit/resource/resource-set';
import { ResourceSet } from '@/server/framework/operatorkit/resource/resource-set';
import type { MetricsResourceConfig } from '@/server/framework/operatorkit/resource/wrapper/metrics-resource';
import { newMetricsResource } from '@/server/framework/operatorkit/resource/wrapper/metrics-resource';
import type { InformerConfig } from '@/server/framework/operatorkit/surface/informer';
import { Informer } from '@/server/framework/operatorkit/surface/informer';
import type { RetryResourceConfig } from '@/server/framework/operatorkit/surface/retry-resource';
import { newRetryResource } from '@/server/framework/operatorkit/surface/retry-resource';
import type { CaseDifference } from '../case';
import { compareError, outcomeOf } from './compare-run';
import { Harness } from './harness';
import type { FrameworkCase } from './schema';

type Config = Record<string, unknown>;

interface Recipe {
  /** A configuration in which everything is valid. */
  readonly valid: () => Config;
  /** Valid values of what is absent unless a case asks for it. */
  readonly present?: Config;
  readonly construct: (config: Config) => unknown;
}

function recipes(harness: Harness): Readonly<Record<string, Recipe>> {
  const { logger } = harness;
  const resource = () => harness.resource({ type: 'plain', name: 'r0' });
  const resourceSet = () => harness.resourceSet({ name: 'v1', handles: true });
  const router = () => new ResourceRouter({ logger, resourceSets: [resourceSet()] });
  const ops = () => {
    const crud = harness.resource({ type: 'crud', name: 'r0' }) as CRUDResource<unknown>;
    return { ...crud.ops };
  };
  const watcher = { list: async () => ({ objects: [], resourceVersion: '' }), async *watch() {} };
  const cluster = { create: unused, get: unused, delete: unused };
  // Cases break these configurations on purpose, hence the casts.
  return {
    Framework: {
      valid: () => ({
        informer: { async *watch() {} },
        logger,
        resourceRouter: router(),
        backOffFactory: DefaultBackOffFactory(harness.random),
      }),
      present: { crd: { metadata: { name: 'ks.g' } }, crdClient: new CRDClient({ cluster, clock: harness.clock, logger }) },
      construct: (config) => new Framework(config as unknown as FrameworkConfig<unknown>, harness),
    },
    CRUDResource: {
      valid: () => ({ logger, ops: ops() }),
      construct: (config) => new CRUDResource(config as unknown as CRUDResourceConfig<unknown, unknown, unknown>),
    },
    ResourceSet: {
      valid: () => ({ handles: () => true, initCtx: (context: unknown) => context, logger, resources: [resource()] }),
      construct: (config) => new ResourceSet(config as unknown as ResourceSetConfig<unknown>),
    },
    ResourceRouter: {
      valid: () => ({ logger, resourceSets: [resourceSet()] }),
      construct: (config) => new ResourceRouter(config as unknown as ResourceRouterConfig<unknown>),
    },
    Informer: {
      valid: () => ({ watcher, resyncPeriod: 60_000, rateWait: 1000 }),
      construct: ({ resyncPeriod, rateWait, ...config }) =>
        new Informer({ ...config, resyncPeriodMs: resyncPeriod, rateWaitMs: rateWait } as unknown as InformerConfig, harness),
    },
    MetricsResource: {
      valid: () => ({ resource: resource(), serviceName: 'service' }),
      construct: (config) => newMetricsResource(config as unknown as MetricsResourceConfig<unknown>, harness),
    },
    RetryResource: {
      valid: () => ({ resource: resource(), logger }),
      construct: (config) => newRetryResource(config as unknown as RetryResourceConfig<unknown>, harness),
    },
    CRDClient: {
      valid: () => ({ cluster, logger, clock: harness.clock }),
      construct: (config) => new CRDClient(config as unknown as CRDClientConfig),
    },
  };
}

const unused = async (): Promise<never> => {
  throw new Error('not called while constructing');
};

const construct = z.object({
  type: z.string(),
  omit: z.array(z.string()).default([]),
  override: z.record(z.string(), z.unknown()).default({}),
});

export async function runConstructCase({ given, then }: FrameworkCase): Promise<readonly CaseDifference[]> {
  const { type, omit, override } = construct.parse(given);
  const recipe = recipes(new Harness())[type];
  if (recipe === undefined) return [{ at: 'given.type', expected: 'a type that can be constructed', found: type }];
  const config = recipe.valid();
  for (const key of omit) delete config[key];
  for (const [path, value] of Object.entries(override))
    setAt(config, path.split('.'), value === 'present' ? (recipe.present?.[path] ?? {}) : value);
  const { error } = await outcomeOf(() => recipe.construct(config));
  return compareError(then.error, error);
}

function setAt(target: Config, [first = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) target[first] = value;
  else setAt(target[first] as Config, rest, value);
}
