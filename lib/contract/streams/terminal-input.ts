/** What is typed or pasted is sent in pieces of so many characters. */
export const MAX_INPUT = 4000;
