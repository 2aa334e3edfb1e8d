export { actsOn, idleReason, toPatch, verbsOf } from './ask/acts';
export { requestsOf } from './ask/requests';
export { describeFluxRelease, describeFluxReleaseDetail, sourceOf } from './describe/describe-release';
export { chartSource, describeSource, isAddressOnly } from './describe/describe-source';
export { toState } from './describe/state';
export { fluxKindOf } from './kinds';
