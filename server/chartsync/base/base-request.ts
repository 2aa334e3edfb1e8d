import { baseChartPath } from '../model/chart-path';
import type { BaseRelease } from '../model/declared';
import type { RollbackPolicy } from '../model/extended-spec';
import type { HelmPort, ReleaseRequest, WorkingCopy } from '../ports';
import type { ValuesReader } from '../values/resolve';
import { resolveValues } from '../values/resolve';

/** The base kind says nothing of rollbacks. */
export const BASE_ROLLBACK: RollbackPolicy = {
  enable: true,
  retry: false,
  maxRetries: 0,
  force: false,
  disableHooks: false,
  timeoutSeconds: 300,
  wait: false,
};

const TIMEOUT_SECONDS = 300;
const MAX_HISTORY = 10;

interface RequestDeps {
  readonly helm: Pick<HelmPort, 'lacksDependencies' | 'buildDependencies'>;
  readonly values: ValuesReader;
  readonly config: { readonly chartsPath: string; readonly updateDeps: boolean };
}

/** What a release of the base kind is made of, with the chart of an exported commit; its values are read now. */
export async function baseRequest(
  resource: BaseRelease,
  copy: Pick<WorkingCopy, 'folder' | 'revision'> & Partial<Pick<WorkingCopy, 'kindOf'>>,
  deps: RequestDeps,
): Promise<ReleaseRequest> {
  const { helm, values, config } = deps;
  const { release, onBehalfOf, generation } = resource;
  const path = baseChartPath({ name: resource.at.name, chartGitPath: resource.chartGitPath }, config.chartsPath);
  const kind = await copy.kindOf?.(path);
  const instead = kind === undefined || kind === 'folder' ? {} : { instead: kind };
  const exported = { folder: `${copy.folder}/${path}`, path, revision: copy.revision, ...instead };
  const resolved = await resolveValues({ onBehalfOf, chart: exported, from: resource.valuesFrom, inline: resource.values }, values);
  const chart =
    config.updateDeps && (await helm.lacksDependencies(exported))
      ? await helm.buildDependencies(exported, { onBehalfOf, secrets: [] })
      : exported;
  return {
    release,
    onBehalfOf,
    generation,
    chart,
    values: resolved,
    timeoutSeconds: TIMEOUT_SECONDS,
    maxHistory: MAX_HISTORY,
    wait: false,
    force: false,
    skipCRDs: false,
    createNamespace: false,
    disableOpenAPIValidation: false,
    resetValues: true,
  };
}
