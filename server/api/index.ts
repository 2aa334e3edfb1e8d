export { createApi } from './api';
export { createPageStatus } from './page-status';
export { createReads } from './read-topic';
