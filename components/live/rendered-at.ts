/** The moment a page is rendered on the server; the browser's first paint shows times relative to the same one. */
export function readRenderedAt(): number {
  return Date.now();
}
