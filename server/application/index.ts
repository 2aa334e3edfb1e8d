export { applicationSchema } from './application-schema';
export { type CollectionInput, garbageContextOf, judgeCollection } from './collection';
export { appliedSentence } from './act-dispatch';
export { createApplicationEngine } from './engine';
export { parseApplication } from './parse';
export { isAppliedOnce, manifestPolicy, type Policies } from './policies';
export { type RenderPreview, renderPreview } from './preview';
export { render } from './render/render';
export { hashOf, readRevision, snapshotOf } from './revision';
