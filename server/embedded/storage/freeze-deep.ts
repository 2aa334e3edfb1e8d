/** Freezes a value to its depth; what is frozen already came from the store, where everything is. */
export function freezeDeep<Value extends object>(value: Value): Value {
  if (Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) freezeDeep(member);
  return value;
}
