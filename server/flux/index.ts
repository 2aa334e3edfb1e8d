export { actsOn, idleReason, toPatch, verbsOf } from './acts/acts';
export { requestsOf } from './acts/requests';
export { describeFluxRelease, describeFluxReleaseDetail, sourceOf } from './describe/describe-release';
export { chartSource, describeSource, isAddressOnly } from './describe/describe-source';
export { toState } from './describe/state';
export { fluxKindOf } from './kinds';
