/** What a saved view keeps of an address: all that is chosen but the page, in one order. */
export function withoutPage(params: URLSearchParams): string {
  const kept = new URLSearchParams(params);
  kept.delete('page');
  kept.sort();
  return kept.toString();
}
