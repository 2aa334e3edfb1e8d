import { createApplicationEngine } from '@/server/application';
import type { Engine, EngineDeps } from '@/server/framework';
import type { EngineModes } from '@/server/installation';
import { createRolloutEngine } from '@/server/rollout';
import type { ComputeOptions } from '@/server/status';

interface EngineOptions {
  /** Rules by which objects are judged beside those of kstatus. */
  readonly statusRules?: ComputeOptions;
  /** What an application may hold that nobody is known to have asked for. */
  readonly unattributed?: 'own' | 'all' | 'none';
}

const ENGINES = [
  { mode: 'application', create: createApplicationEngine },
  { mode: 'rollout', create: createRolloutEngine },
] as const satisfies readonly { readonly mode: keyof EngineModes; readonly create: (deps: EngineDeps, options: EngineOptions) => Engine }[];

/** The engines that drive; one that only observes is not built, so it cannot write. */
export function createEngines(modes: EngineModes, deps: EngineDeps, options: EngineOptions = {}): readonly Engine[] {
  return ENGINES.filter(({ mode }) => modes[mode] === 'drive').map(({ create }) => create(deps, options));
}
