export { type Commands, createCommands } from './commands';
export { applicationDecisionRequest } from './decide-application';
export { toAppError } from './refusal';
