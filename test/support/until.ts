const LONGEST_PAUSE_MS = 10;

/** Waits for something that another process or socket brings about, and looks more rarely with time; fails with what was awaited. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, limitMs = 60_000): Promise<void> {
  const end = performance.now() + limitMs;
  for (let pauseMs = 2; !(await holds()); pauseMs = Math.min(pauseMs * 1.2, LONGEST_PAUSE_MS)) {
    if (performance.now() > end) throw new Error(`waited ${limitMs} ms in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
