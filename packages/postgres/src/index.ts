export { type MigrateOptions, type MigrateRefusal, type MigrateResult, migrate } from './migrate/migrate.ts';
export { type MigrationPlan, planMigrations } from './migrate/plan-migrations.ts';
export { type ApiStoreOptions, type ApiStores, createApiStores } from './stores/api-stores.ts';
export { type Database, type DatabaseOptions, openDatabase } from './stores/database.ts';
export { inTransaction } from './stores/in-transaction.ts';
export type { IntentStatusRead } from './stores/load-intent.ts';
export { createSealAuditPorts, readSealed } from './stores/seal-audit-store.ts';
export { type IntentWatcher, watchIntents } from './stores/watch-intents.ts';
export { type Deed, writeAudit } from './stores/write-audit.ts';
