/** The parts of a patch in the order in which they are applied. */
export const PATCH_PARTS = ['create', 'delete', 'update'] as const;
export type PatchPart = (typeof PATCH_PARTS)[number];

/** What a CRUD resource wants to change. A part counts as given once it was set, whatever its value; the last set wins. */
export class Patch<TChange = unknown> {
  readonly #parts = new Map<PatchPart, TChange>();

  setCreateChange(change: TChange): void {
    this.#parts.set('create', change);
  }

  setDeleteChange(change: TChange): void {
    this.#parts.set('delete', change);
  }

  setUpdateChange(change: TChange): void {
    this.#parts.set('update', change);
  }

  /** The part in a box, since a part may be given and undefined. */
  getPart(part: PatchPart): { readonly change: TChange } | undefined {
    return this.#parts.has(part) ? { change: this.#parts.get(part) as TChange } : undefined;
  }
}

/** An empty patch. */
export function NewPatch<TChange = unknown>(): Patch<TChange> {
  return new Patch<TChange>();
}
