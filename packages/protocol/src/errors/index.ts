export { type CatalogueEntry, ERRORS, type ErrorCode, isErrorCode } from './catalogue.ts';
export { errorBodyOf, type Refusal } from './error-body-of.ts';
