export { type CatalogueEntry, ERRORS, type ErrorCode, isErrorCode } from './catalogue.ts';
export { errorBodyOf, type RequestRefusal } from './error-body-of.ts';
