import type { CaseFile } from '../case-file.ts';
import type { SolanaEvidence } from './solana-evidence.ts';

export type SolanaSetting = {
  readonly rpcUrl: string;
  readonly token: string;
  readonly relayers: readonly string[];
  readonly relayerLamports: string;
  readonly minted: Readonly<Record<string, string>>;
  /** Owner to token account. */
  readonly accounts: Readonly<Record<string, string>>;
};

/** The memo of a refund names it. */
const MEMO = /svcref:(re_[0-9A-Za-z]+)/;

export type SolanaCase = {
  readonly file: CaseFile;
  readonly setting: SolanaSetting;
  readonly chain: SolanaEvidence;
  /** Sends of bytes that were not in the database at that moment. */
  readonly unstored: number;
};

/** The refund that a stored transaction makes, by its bytes. */
export function refundIn({ file }: Pick<SolanaCase, 'file'>, transaction: string): string | undefined {
  const stored = file.record.signed.find((signed) => signed.transaction === transaction);
  return MEMO.exec(stored?.raw.toString('latin1') ?? '')?.[1];
}
