export { applicationSchema } from '@/server/application';
export type { KeptPlans } from './command-deps';
export { type Commands, createCommands } from './commands';
export { applicationDecisionRequest } from './decide-application';
export type { Accepted } from './command-deps';
export { openPreviews, openReleasePlans } from './kept-previews';
export { toAppError } from './refusal';
export { openTextReader, type TextReader } from './written/text-reader';
