'use client';

/** Room for lines that are not drawn. Its height is set by script: the content security policy takes no style from markup. */
export function Spacer({ px, className }: { readonly px: number; readonly className?: string }) {
  return (
    <div
      role="presentation"
      className={className}
      ref={(element) => {
        if (element !== null) element.style.height = `${px}px`;
      }}
    />
  );
}
