import { UNSEEN } from './hidden-characters';

const PLAIN = /^[\w.:@/=,+-]+$/;

/** A word of a command that people paste into a shell, or that a shell is given: quoted where the shell would read any of it as its own. */
export function shellWord(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** True for what people see all of, in one line: only of that a command is printed for them. */
export function mayBePasted(word: string): boolean {
  return word.search(UNSEEN) < 0;
}
