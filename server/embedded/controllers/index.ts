export { type ControllerOptions, startControllers } from './start';
