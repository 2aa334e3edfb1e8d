/** What is typed or pasted is sent in pieces of so many characters. */
export const MOST_INPUT = 4000;
