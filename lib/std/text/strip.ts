/** A text without a sign at its end, however often it stands there. A pattern that looks for the end from each of many signs takes minutes. */
export function stripEnd(text: string, sign: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === sign) end--;
  return text.slice(0, end);
}

/** A text without a sign at both ends. */
export function stripBoth(text: string, sign: string): string {
  let begin = 0;
  while (begin < text.length && text[begin] === sign) begin++;
  return stripEnd(text.slice(begin), sign);
}
