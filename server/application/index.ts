export { applicationSchema } from './application-schema';
export { type CollectionInput, garbageContextOf, judgeCollection } from './collection';
export { createApplicationEngine } from './engine';
export { parseApplication } from './parse';
export { type RenderPreview, renderPreview } from './preview';
export { render } from './render/render';
export { hashOf, readRevision, snapshotOf } from './revision';
