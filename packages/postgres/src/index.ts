export { type MigrateOptions, type MigrateRefusal, type MigrateResult, migrate } from './migrate/migrate.ts';
