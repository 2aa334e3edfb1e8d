/**
 * The name of an image in one line. Where there is no room for all of it, the registry gives way: what tells two revisions apart stands at the end. A line
 * from right to left is cut at its left; what is in it reads as ever.
 */
export function ImageName({ image }: { readonly image: string }) {
  return (
    <span dir="rtl" title={image} className="block min-w-0 truncate text-left">
      <bdi dir="ltr">{image}</bdi>
    </span>
  );
}
