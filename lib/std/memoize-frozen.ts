/** The same reading, done once for each frozen object, which cannot become another; what is not frozen is read anew each time. */
export function memoizeFrozen<Copy extends object, Read>(read: (copy: Copy) => Read): (copy: Copy) => Read {
  const known = new WeakMap<Copy, { readonly read: Read }>();
  return (copy) => {
    if (!Object.isFrozen(copy)) return read(copy);
    let held = known.get(copy);
    if (held === undefined) {
      held = { read: read(copy) };
      known.set(copy, held);
    }
    return held.read;
  };
}
