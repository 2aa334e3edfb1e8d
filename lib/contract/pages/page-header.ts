/** The header by which the port tells a page its own address, which pages cannot see otherwise. What a browser sends under this name is overwritten. */
export const PAGE_HEADER = 'x-slipway-page';
