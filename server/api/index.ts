export { createApi } from './api';
export { createPageStatus } from './pages/page-status';
export { createPageTurns } from './pages/page-turns';
export { createReads } from './read-topic';
