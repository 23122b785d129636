export { ERRORS, type ErrorCode, isErrorCode } from './catalogue.ts';
export type { CatalogueEntry } from './catalogue-entry.ts';
export { errorBodyOf, type RequestRefusal } from './error-body-of.ts';
export { nearestName } from './nearest-name.ts';
export { RESULTS } from './results.ts';
