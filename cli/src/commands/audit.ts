import { appendFileSync, readFileSync } from 'node:fs';
import { createAuditSigner, isoTime, type SignedHead, signedHeadOf } from '@svc-pay/core';
import {
  type AuditChainFault,
  exportAuditHeads,
  type FoundExportFault,
  sealAuditChains,
  type VerifiedChain,
  verifyAuditChains,
  verifyAuditExports,
} from '@svc-pay/postgres/operator';
import type { Paint } from '@svc-pay/runtime/terminal/paint';
import { Command } from 'commander';
import * as z from 'zod/mini';
import type { Input } from '../command/context.ts';
import { accountOption, leaf, runs, type Surroundings } from '../command/leaf.ts';
import { misconfigured, withOperation } from '../command/with-operation.ts';
import type { OperatorConfig } from '../config.ts';
import { type CommandOutcome, done, failed, misused } from '../output/outcome.ts';
import { table } from '../output/table.ts';

type Options = { readonly account?: string };
type VerifyOptions = Options & { readonly heads?: string };
type ExportOptions = { readonly file?: string };

export function auditCommand(surroundings: Surroundings): Command {
  const seal = leaf('seal', 'Add new audit rows to the hash chain of their account and mode.', ['audit seal'])
    .addOption(accountOption())
    .action(runs<Options>(surroundings, sealAll));
  const verify = leaf(
    'verify',
    'Verify every hash chain of the audit record and its exported heads, and name each row that was changed or ' +
      'removed. With signed heads that were kept elsewhere it also finds a record that the owner of the database ' +
      'wrote anew.',
    ['audit verify', 'audit verify --heads audit-heads.jsonl', 'audit verify --account acct_… --json'],
  )
    .addOption(accountOption())
    .option('--heads <file>', 'file with signed heads, one JSON document a line, as `audit export-head` writes them')
    .action(runs<VerifyOptions>(surroundings, verifyAll));
  const exportHead = leaf(
    'export-head',
    'Sign the heads of all audit chains with SVC_AUDIT_SIGNING_KEY and print the signed line. Keep the line ' +
      'where nobody who can write to the database can write.',
    ['audit export-head', 'audit export-head --file audit-heads.jsonl'],
  )
    .option('--file <file>', 'also add the line to this file')
    .action(runs<ExportOptions>(surroundings, exportOne));
  return new Command('audit')
    .description('Seal and check the record of who did what.')
    .addCommand(seal)
    .addCommand(verify)
    .addCommand(exportHead);
}

async function sealAll({ options, context }: Input<Options>): Promise<CommandOutcome> {
  return withOperation(context, [], async ({ operation }) => {
    const chains = await sealAuditChains(operation.pool, options.account);
    const sealed = chains.reduce((sum, chain) => sum + chain.sealed, 0);
    return done({ sealed, chains }, `Sealed ${sealed} entries in ${chains.length} chains.`);
  });
}

const WORDS: Readonly<Record<AuditChainFault, string>> = {
  content: 'was changed',
  link: 'does not follow the one before it',
  gap: 'has rows missing before it',
  end: 'is the last one there, and more were sealed',
};

async function verifyAll({ options, context }: Input<VerifyOptions>): Promise<CommandOutcome> {
  const lines = options.heads === undefined ? [] : readHeads(options.heads);
  if (lines === undefined) return misused('--heads: the file can’t be read, or has a line that is no signed head.');
  return withOperation(context, [], async ({ operation, config }) => {
    const trusted = trustedKeys(config);
    if (lines.length > 0 && trusted === undefined)
      return misconfigured(['SVC_AUDIT_PUBLIC_KEY is missing: signed heads are checked with it']);
    const chains = await verifyAuditChains(operation.pool, options.account);
    const { exports, faults } = await verifyAuditExports(operation.pool, trusted, lines);
    const broken = chains.filter(({ fault }) => fault !== null);
    const whole = broken.length === 0 && faults.length === 0;
    const words = faults.map(
      ({ number, fault, head }) => `export ${number} ${EXPORT_WORDS[fault]}${head === undefined ? '' : `: ${head}`}`,
    );
    const counted = `${exports} exports of heads and ${lines.length} signed lines were checked.`;
    const report = {
      data: { whole, chains, exports, lines: lines.length, exportFaults: faults },
      text: [shown(chains, context.paint), '', counted, ...words].join('\n'),
    };
    if (whole) return done(report.data, report.text);
    return {
      ...failed(
        'audit_broken',
        `${broken.length} of ${chains.length} chains do not hold, and ${faults.length} exported heads do not fit.`,
        'Compare the named rows with a backup, and find out who could write to the database.',
      ),
      report,
    };
  });
}

const EXPORT_WORDS: Readonly<Record<FoundExportFault['fault'], string>> = {
  gap: 'has exports missing before it',
  link: 'does not follow the one before it',
  content: 'was changed',
  signature: 'has a signature that does not fit',
  key: 'is signed by a key that is not in SVC_AUDIT_PUBLIC_KEY, or by an older one than the export before it',
  head: 'names an entry that is not in its chain any more',
  missing: 'is in a signed line and not in the database',
  rewritten: 'is another one than the signed line says',
};

/** The setting wins, so that a verifier needs no private key. */
function trustedKeys({ auditPublicKeys, auditSigningKey }: OperatorConfig): readonly Uint8Array[] | undefined {
  return auditPublicKeys ?? (auditSigningKey && [createAuditSigner(auditSigningKey).publicKey]);
}

const signedHead: z.ZodMiniType<SignedHead> = z.object({
  number: z.string().check(z.regex(/^[1-9]\d{0,17}$/)),
  createdAtMs: z.int(),
  hash: z.string(),
  signature: z.string(),
  signedBy: z.string(),
});

/** Undefined for a file that can't be read whole. */
function readHeads(file: string): readonly SignedHead[] | undefined {
  try {
    const lines = readFileSync(file, 'utf8').split('\n');
    return lines.filter((line) => line.trim() !== '').map((line) => signedHead.parse(JSON.parse(line)));
  } catch {
    return undefined;
  }
}

async function exportOne({ options, context }: Input<ExportOptions>): Promise<CommandOutcome> {
  return withOperation(context, [], async ({ operation, config }) => {
    const { auditSigningKey: key } = config;
    if (key === undefined) return misconfigured(['SVC_AUDIT_SIGNING_KEY is missing: base64 of 32 bytes']);
    const { pool, nowMs } = operation;
    await sealAuditChains(pool);
    const made = await exportAuditHeads(pool, nowMs, createAuditSigner(key));
    if (made === undefined) return done({ exported: null }, 'Nothing changed since the last export.');
    const line = signedHeadOf(made);
    const text = JSON.stringify(line);
    if (options.file !== undefined) {
      try {
        appendFileSync(options.file, `${text}\n`, { mode: 0o600 });
      } catch {
        return {
          ...failed('file_not_written', 'The signed head could not be added to the file.', 'Store the printed line.'),
          report: { data: { exported: line }, text },
        };
      }
    }
    return done({ exported: line, createdAt: isoTime(made.createdAtMs) }, text);
  });
}

function shown(chains: readonly VerifiedChain[], paint: Paint): string {
  return table(
    chains,
    [
      { head: 'ACCOUNT', cell: ({ accountId }) => accountId },
      { head: 'MODE', cell: ({ mode }) => mode },
      { head: 'VERIFIED', cell: ({ verified }) => String(verified) },
      { head: 'UNSEALED', cell: ({ unsealed }) => String(unsealed) },
      { head: 'LAST HASH', cell: ({ headHash }) => headHash?.slice(0, 16) ?? '' },
      { head: 'RESULT', cell: ({ fault }) => (fault === null ? 'whole' : `${fault.id} ${WORDS[fault.fault]}`) },
    ],
    paint,
  );
}
