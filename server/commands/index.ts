export { applicationSchema } from '@/server/application';
export type { Accepted, StoredPlans } from './command-deps';
export { type Commands, createCommands } from './commands';
export { applicationDecisionRequest } from './decide-application';
export { openChartValuesReader, openTextReader, type TextReader } from './editor/text-reader';
export type { LogsInput } from './logs/follow-logs';
export { toAppError } from './refusal';
export { openConsequences, openPreviews, openReleasePlans } from './stored-previews';
