export { applicationSchema } from '@/server/application';
export { checkWritten } from './check-written';
export { type Commands, createCommands } from './commands';
export { applicationDecisionRequest } from './decide-application';
export { toAppError } from './refusal';
