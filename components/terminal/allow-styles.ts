/**
 * Lets the terminal's library style what it makes, as the content security policy allows it: style sheets bear the nonce of the page, and what is set as a
 * style attribute is set as a style. The library knows of no nonce, and makes its elements of the page's document, whichever it is given. Answers how to stop.
 */
export function allowStyles(page: Document, nonce: string): () => void {
  const make = Document.prototype.createElement.bind(page);
  const createElement = (tag: string, options?: ElementCreationOptions): HTMLElement => {
    const element = make(tag, options);
    if (tag === 'style') element.nonce = nonce;
    if (tag === 'span' || tag === 'div') styleByProperty(element);
    return element;
  };
  page.createElement = createElement;
  return () => {
    if (page.createElement === createElement) Reflect.deleteProperty(page, 'createElement');
  };
}

function styleByProperty(element: HTMLElement): void {
  const setAttribute = element.setAttribute.bind(element);
  element.setAttribute = (name, value) => {
    if (name === 'style') element.style.cssText = value;
    else setAttribute(name, value);
  };
}
