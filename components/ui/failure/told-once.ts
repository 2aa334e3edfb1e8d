import { useCallback, useLayoutEffect, useRef, useState } from 'react';

interface Part {
  readonly onFirst: (isFirst: boolean) => void;
  readonly readAgain: () => unknown;
}

/** The parts of the page that could not be read, by the reason, in the order in which they failed. */
const failed = new Map<string, readonly Part[]>();

function setParts(reason: string, parts: readonly Part[]): void {
  if (parts.length === 0) failed.delete(reason);
  else failed.set(reason, parts);
  for (const [at, { onFirst }] of parts.entries()) onFirst(at === 0);
}

/** Whether this part of a page is the one that tells why several could not be read, and how to read all of them again. */
export function useToldOnce(reason: string, readAgain: () => unknown): { readonly isTeller: boolean; readonly readAllAgain: () => void } {
  const [isTeller, setTeller] = useState(true);
  const latest = useRef(readAgain);
  useLayoutEffect(() => {
    latest.current = readAgain;
  });
  useLayoutEffect(() => {
    const part: Part = { onFirst: setTeller, readAgain: () => latest.current() };
    setParts(reason, [...(failed.get(reason) ?? []), part]);
    return () => {
      setTeller(true);
      setParts(
        reason,
        (failed.get(reason) ?? []).filter((one) => one !== part),
      );
    };
  }, [reason]);
  const readAllAgain = useCallback(() => {
    for (const part of failed.get(reason) ?? []) part.readAgain();
  }, [reason]);
  return { isTeller, readAllAgain };
}
