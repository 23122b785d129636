export { ARCHIVE_SETTINGS, archiveChoice, archiveProblems } from './archive-settings.ts';
export { AUDIT_SIGNING_KEY } from './audit-settings.ts';
export { ENGINE_SETTINGS } from './engine-settings.ts';
export * from './forms.ts';
export { type MasterKeys, masterKeys, sealingKey, sealKeyText, sealKeyTextFrom } from './master-keys.ts';
export { PAYOUT_SETTINGS, type PayoutRules, payoutRules } from './payout-settings.ts';
export * from './read-settings.ts';
export * from './setting.ts';
export { settingsTable } from './settings-table.ts';
