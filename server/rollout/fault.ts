/** Every way in which planning or running a stage can fail. */
export const STAGE_FAULT_CODES = [
  'SpaNotFound',
  'ReadFailed',
  'NoScaleUpRevision',
  'PodAutoscalerNotFound',
  'NothingToScale',
  'NoUpDownPair',
  'DeploymentNotAvailable',
  'ConfigParse',
] as const;
export type StageFaultCode = (typeof STAGE_FAULT_CODES)[number];

/** A stage cannot be planned or run as things are; the sentence says which object is in the way. */
export class StageFault extends Error {
  readonly code: StageFaultCode;

  constructor(code: StageFaultCode, sentence: string) {
    super(sentence);
    this.name = 'StageFault';
    this.code = code;
  }
}

/** The fault, when the error is one. */
export function getStageFault(error: unknown): StageFault | undefined {
  return error instanceof StageFault ? error : undefined;
}
