export { applicationSchema } from '@/server/application';
export { type Commands, createCommands } from './commands';
export { applicationDecisionRequest } from './decide-application';
export { openPreviews } from './kept-previews';
export { toAppError } from './refusal';
export { openTextReader, type TextReader } from './written/text-reader';
