/** An address of the console as it was asked for: without the cluster, which the frame of every page adds. */
export function plainAddress(address: string | URL): string {
  return String(address).replace(/([?&])cluster=[^&#]*(&?)/, (_all, before: string, after: string) => (after === '' ? '' : before));
}
