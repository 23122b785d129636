// Where months that are no longer kept are archived: settlement writes there, the command reads there.
import { flag } from './forms.ts';
import { optional, type Setting, type SettingText, setting } from './setting.ts';

const absolutePath = (about: SettingText): Setting<string> =>
  setting(about, {
    form: 'an absolute path',
    read: (given) => (given.startsWith('/') ? given : undefined),
  });

export const ARCHIVE_SETTINGS = {
  archive: flag({
    name: 'SVC_ARCHIVE',
    about:
      'Whether a month of rows that is no longer kept is archived before it is dropped. `off` drops it without a copy.',
    fallback: 'on',
  }),
  archiveDir: optional(
    absolutePath({
      name: 'SVC_ARCHIVE_DIR',
      about:
        'Directory of the archives of months that are no longer kept; the same for every settlement process and the command. Absent, and `SVC_ARCHIVE` not `off`: such months stay in the database, and an alert says so.',
    }),
  ),
};

type ArchiveValues = { readonly archive: boolean; readonly archiveDir?: string | undefined };

export function archiveChoice({ archive, archiveDir }: ArchiveValues): 'directory' | 'off' | 'unset' {
  if (!archive) return 'off';
  return archiveDir === undefined ? 'unset' : 'directory';
}

export function archiveProblems({ archive, archiveDir }: ArchiveValues): readonly string[] {
  return !archive && archiveDir !== undefined
    ? ['SVC_ARCHIVE_DIR is given while SVC_ARCHIVE is off: leave one of them out']
    : [];
}
