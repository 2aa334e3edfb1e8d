export { installDemonstration, isEmpty } from './demonstration';
