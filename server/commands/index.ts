export { applicationSchema } from '@/server/application';
export type { Accepted, KeptPlans } from './command-deps';
export { type Commands, createCommands } from './commands';
export { applicationDecisionRequest } from './decide-application';
export { openConsequences, openPreviews, openReleasePlans } from './kept-previews';
export type { LogsInput } from './logs/follow-logs';
export { toAppError } from './refusal';
export { openChartValuesReader, openTextReader, type TextReader } from './written/text-reader';
