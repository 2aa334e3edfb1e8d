/** What a person may say of an act. */
export interface Reasoned {
  readonly reason?: string;
}
