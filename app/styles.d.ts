// Style sheets are imported for their effect only.
declare module '*.css';
declare module '@fontsource-variable/geist';
