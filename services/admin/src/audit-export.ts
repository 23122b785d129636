// Signs the heads of the audit record every hour. The signed line goes to the log and, if one is set, to a file.
import { appendFile } from 'node:fs/promises';
import { type AuditExport, signedHeadOf } from '@svc-pay/core';
import type { LogEvent } from '@svc-pay/runtime/logging/log-events';

export type AuditExportOptions = {
  readonly everyMs: number;
  /** Undefined if no head changed since the last export. */
  readonly exportHeads: () => Promise<AuditExport | undefined>;
  readonly file: string | undefined;
  readonly log: (event: LogEvent, details: object) => void;
  readonly onExported: (result: 'signed' | 'failed') => void;
};

/** The first export follows at once. */
export function startAuditExport(options: AuditExportOptions): { readonly stop: () => Promise<void> } {
  const { everyMs, exportHeads, file, log, onExported } = options;
  const exportOnce = async () => {
    try {
      const made = await exportHeads();
      if (made === undefined) return;
      const head = signedHeadOf(made);
      // Before the file: a line that is only in the log is kept all the same.
      log('audit_head_signed', { head });
      if (file !== undefined) await appendFile(file, `${JSON.stringify(head)}\n`, { mode: 0o600 });
      onExported('signed');
    } catch (problem) {
      onExported('failed');
      log('audit_head_not_signed', { err: problem });
    }
  };
  let running = exportOnce();
  const timer = setInterval(() => {
    running = running.then(exportOnce);
  }, everyMs);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
