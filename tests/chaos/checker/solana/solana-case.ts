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

export type SolanaCase = {
  readonly file: CaseFile;
  readonly setting: SolanaSetting;
  readonly chain: SolanaEvidence;
  /** Sends of bytes that were not in the database at that moment. */
  readonly unstored: number;
};
