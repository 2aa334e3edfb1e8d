export { createApi } from './api';
export { createPageQueue } from './pages/page-queue';
export { createPageStatus } from './pages/page-status';
export { createReads } from './read-topic';
