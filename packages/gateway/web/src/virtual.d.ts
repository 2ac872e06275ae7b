declare module 'virtual:replay-template' {
  /** A whole HTML document with a place for one recording; made by web/replay-template.ts at build time. */
  export const template: string;
}

declare module '*.css';

declare module 'temml/temml.js' {
  export { default } from 'temml';
}
