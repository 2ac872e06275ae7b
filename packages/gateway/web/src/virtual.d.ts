declare module 'virtual:replay-template' {
  /** An HTML document with a place for one recording; web/replay-template.ts makes it at build time. */
  export const template: string;
}

declare module '*.css';

declare module 'temml/temml.js' {
  export { default } from 'temml';
}
