import type { StatusRule } from '../rule';
import { RELEASE_STATUS_ROWS } from './operator-rows';

/** The first kind of helm-operator knows one field: what Helm stores of the release. */
export const fluxHelmRelease: StatusRule = { kind: 'helm.integrations.flux.weave.works/FluxHelmRelease', rows: [...RELEASE_STATUS_ROWS] };
