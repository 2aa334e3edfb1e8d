import type { ExtendedRelease } from '../model/declared';
import type { ChartAt } from '../model/release';
import type { ReleaseRequest } from '../ports';
import type { ValuesReader } from '../values/resolve';
import { resolveValues } from '../values/resolve';

/** What a release of the later kinds is made of, with a chart that was fetched; its values are read now. */
export async function extendedRequest(resource: ExtendedRelease, chart: ChartAt, reader: ValuesReader): Promise<ReleaseRequest> {
  const { spec, release, onBehalfOf, generation } = resource;
  const values = await resolveValues({ onBehalfOf, chart, from: spec.valuesFrom, inline: spec.values }, reader);
  const { timeoutSeconds, maxHistory, wait, skipCRDs, createNamespace, disableOpenAPIValidation, resetValues } = spec;
  const options = {
    timeoutSeconds,
    maxHistory,
    wait,
    skipCRDs,
    createNamespace,
    disableOpenAPIValidation,
    resetValues,
    force: spec.forceUpgrade,
  };
  return { release, onBehalfOf, generation, chart, values, ...options };
}
