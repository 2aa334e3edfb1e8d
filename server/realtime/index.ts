export { createHub } from './hub';
