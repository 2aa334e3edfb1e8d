const NO_ROOM = /\b(ENOSPC|EDQUOT|EFBIG)\b|No space left on device|Disk quota exceeded|File too large/i;

/** Where a text begins to tell so; -1 where it does not. */
export function diskFullAt(text: string): number {
  return text.search(NO_ROOM);
}

/** What whoever runs the server does then. */
export const MAKE_ROOM = 'free space in the data folder (--data-dir), or enlarge its volume';

/** What is told where the disk of the server took no more, or less than was to be written; undefined for any other trouble. */
export function diskFullIn(text: string): string | undefined {
  return NO_ROOM.test(text) ? `the disk of the server is full; ${MAKE_ROOM}` : undefined;
}
