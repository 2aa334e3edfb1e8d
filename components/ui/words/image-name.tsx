/** The name of an image in one line. Where there is no room for all of it, the registry gives way: what tells two revisions apart stands at the end. */
export function ImageName({ image }: { readonly image: string }) {
  const name = image.lastIndexOf('/') + 1;
  return (
    <span title={image} className="flex min-w-0">
      <span className="min-w-0 truncate">{image.slice(0, name)}</span>
      <span className="max-w-full shrink-0 truncate">{image.slice(name)}</span>
    </span>
  );
}
