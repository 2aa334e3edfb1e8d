/** How often and how long an answer is waited for. */
export const LOOK_EVERY_MS = 500;
export const MAX_LOOKS = 120;

/** What a person may say of an act. */
export interface Reasoned {
  readonly reason?: string;
}
