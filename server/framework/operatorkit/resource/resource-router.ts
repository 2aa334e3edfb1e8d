import type { Log } from '@/server/platform';
import { FrameworkError, requireConfig } from '../errors';
import type { ResourceSet } from './resource-set';
import { linkOf } from './resource-set';

export interface ResourceRouterConfig<TObject> {
  readonly logger: Log;
  readonly resourceSets: readonly ResourceSet<TObject>[];
}

/** Finds the one set that is for an object. */
export class ResourceRouter<TObject> {
  readonly #config: ResourceRouterConfig<TObject>;

  constructor(config: ResourceRouterConfig<TObject>) {
    requireConfig(config.logger, 'Logger');
    if ((config.resourceSets ?? []).length === 0) throw new FrameworkError('invalidConfig', 'ResourceSets must not be empty');
    this.#config = config;
  }

  /** Asks every set, so that an overlap is an error and never a matter of order. */
  resourceSet(object: TObject): ResourceSet<TObject> {
    const { logger, resourceSets } = this.#config;
    const [found, ...others] = resourceSets.filter((set) => set.handles(object));
    if (others.length > 0) throw new FrameworkError('executionFailed', 'multiple handling resource sets found; only single allowed');
    if (found !== undefined) return found;
    const link = linkOf(object);
    if (link === undefined) logger.warn({}, 'no resource set for an object without metadata');
    else logger.debug({ object: link }, 'no resource set for object');
    throw new FrameworkError('noResourceSet', `no resource set for ${link ?? 'an object without metadata'}`);
  }
}
