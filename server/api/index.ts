export { createApi } from './api';
export { createReads } from './read-topic';
