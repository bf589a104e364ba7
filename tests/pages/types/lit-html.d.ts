// The daemon serves the package's one file beside the pages (build.rs).
export * from 'lit-html';
