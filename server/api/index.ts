export { createApi } from './api';
export { createPageStatus } from './pages/page-status';
export { createReads } from './read-topic';
