// Direct payments as the token's own logs tell them: the use of an authorization, and as the token's next log of that
// transaction the transfer to a merchant's wallet.
import type { Log } from './chain-evidence.ts';

export type DirectLog = {
  readonly payer: string;
  readonly nonce: string;
  readonly wallet: string;
  readonly value: bigint;
  readonly transaction: string;
  /** Of the transfer. */
  readonly logIndex: number;
  readonly blockNumber: number;
};

const USED = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5';
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** `logs` are all logs of the token, in chain order. */
export function readDirectLogs(logs: readonly Log[], wallets: ReadonlySet<string>): readonly DirectLog[] {
  return readUses(logs).filter(({ wallet }) => wallets.has(wallet));
}

/** Every use of an authorization that moved money, whoever got it. */
export function readUses(logs: readonly Log[]): readonly DirectLog[] {
  return logs.flatMap((use, index) => {
    const transfer = logs[index + 1];
    if (use.topics[0] !== USED || transfer?.transactionHash !== use.transactionHash) return [];
    const [payer, nonce] = [addressIn(use.topics[1]), use.topics[2] ?? ''];
    const [topic, from, to] = transfer.topics;
    if (topic !== TRANSFER || addressIn(from) !== payer) return [];
    return [
      {
        payer,
        nonce,
        wallet: addressIn(to),
        value: BigInt(transfer.data),
        transaction: transfer.transactionHash,
        logIndex: Number.parseInt(transfer.logIndex, 16),
        blockNumber: Number.parseInt(transfer.blockNumber, 16),
      },
    ];
  });
}

const addressIn = (topic = '') => `0x${topic.slice(-40)}`.toLowerCase();
