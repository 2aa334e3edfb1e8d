export { actsOn, idleReason, toPatch, verbsOf } from './ask/acts';
export { askedOf } from './ask/asked';
export { describeFluxRelease, describeFluxReleaseWhole, sourceOf } from './describe/describe-release';
export { chartSource, describeSource, isAddressOnly } from './describe/describe-source';
export { toState } from './describe/state';
export { fluxKindOf } from './kinds';
