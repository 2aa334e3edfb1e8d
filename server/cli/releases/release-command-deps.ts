/** What a person may say of an act. */
export interface WithReason {
  readonly reason?: string;
}
