/** Values that only their owners may read, by the place where each was put, and all the forms in which one could come out. */
export class PlantedValues {
  readonly #byPlace = new Map<string, { readonly value: string; readonly forms: readonly string[] }>();

  /** A value for this place, unlike any other. */
  plant(place: string): string {
    return this.keep(place, `canary-${this.#byPlace.size}-7f3a9c51e2-${place.replace(/\W+/g, '')}`);
  }

  /** Looks for a value as well that somebody else made. */
  keep(place: string, value: string): string {
    const bytes = Buffer.from(value);
    this.#byPlace.set(place, {
      value,
      forms: [value, bytes.toString('hex'), encodeURIComponent(value), ...[0, 1, 2].map((at) => innerBase64(bytes, at))],
    });
    return value;
  }

  places(): readonly string[] {
    return [...this.#byPlace.keys()];
  }

  /** The places whose values stand in the text, each with what stands around it. */
  foundIn(text: string): readonly string[] {
    return [...this.#byPlace].flatMap(([place, { forms }]) => {
      const at = forms.map((form) => text.indexOf(form)).find((index) => index >= 0);
      return at === undefined ? [] : [`${place}: ${text.slice(Math.max(0, at - 160), at + 60)}`];
    });
  }
}

/** What stands in every base64 text of something that holds these bytes, so many bytes after the beginning of a group of three. */
function innerBase64(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  // The first and the last group may hold bits of what stands beside.
  return text.slice(offset === 0 ? 0 : 4, Math.floor((offset + bytes.length) / 3) * 4);
}
