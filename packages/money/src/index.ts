export { divide, type Rounding } from './rounding.ts';
