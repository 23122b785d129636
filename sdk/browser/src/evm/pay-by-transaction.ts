// The regular flow with an EVM wallet. For a processor's payout: the token's `approve` where the allowance is too small, then
// the processor's `pay`. For a merchant's own wallet: the payer signs a transfer and sends it himself.
import type { Acceptance } from '@svc-pay/protocol';
import { type EvmOption, isEvmOption, regularAcceptance } from '../check/regular-acceptance.ts';
import { SvcPayError } from '../error/svc-pay-error.ts';
import { pauseMs } from '../http/pause.ts';
import type { PayerWallet, RegularCall, RegularPayment, WalletCall } from '../wallet.ts';
import { approveAmount } from './approve-amount.ts';
import { type ContractCall, processorCalls, transferToSign } from './check-calls.ts';
import type { Eip1193Provider } from './eip1193.ts';
import { hasReverted, readReceipt, sendTransaction } from './send-transaction.ts';
import { askTypedData } from './sign-acceptance.ts';
import { assertChain } from './switch-network.ts';

type Offered = Parameters<NonNullable<PayerWallet['payRegularly']>>[0];

export type ReadyPayer = {
  readonly provider: Eip1193Provider;
  readonly payer: string;
  /** Chooses one and brings the wallet to its chain. */
  readonly settleOnOne: (acceptances: readonly Acceptance[]) => Promise<{ acceptance: Acceptance; chainId: number }>;
};

/** Every option was held against what was asked; its calls are held against its own fields here, before the wallet is asked. */
export async function payByTransaction(
  offered: Offered,
  connect: () => Promise<ReadyPayer>,
  call: RegularCall,
): Promise<RegularPayment> {
  const ways = waysOf(offered, call);
  const { provider, payer, settleOnOne } = await connect();
  const { acceptance, chainId } = await settleOnOne(ways.map((way) => way.acceptance));
  const way = ways.find((one) => one.acceptance === acceptance);
  if (way === undefined) throw new SvcPayError('no_usable_acceptance');
  const pay = await callToPay(way, { provider, payer, chainId }, call);
  const terms = {
    payer,
    network: acceptance.network,
    asset: way.option.token,
    amount: acceptance.maxAmountRequired,
  };
  await call.beforePay({ ...terms, expiresAt: way.option.expiresAt });
  await assertChain(provider, chainId, call);
  const transactionId = await sendTransaction(provider, pay, { payer, chainId }, call);
  return {
    ...terms,
    transactionId,
    reverted: (signal) => watchForRevert(provider, transactionId, { ...call, signal }),
  };
}

type Way = { readonly option: EvmOption; readonly acceptance: Acceptance };

/** Throws `acceptance_refused` for a call that differs from its option, whichever of them the payer would choose. */
function waysOf(
  offered: Offered,
  { intentCode, windowSeconds, signsTypedData, nowSeconds }: RegularCall,
): readonly Way[] {
  const options = offered.filter(isEvmOption).filter(({ kind }) => kind === 'evm_processor' || signsTypedData);
  if (options.length === 0) throw new SvcPayError('no_usable_acceptance');
  const nobody = { payer: `0x${'00'.repeat(20)}`, nowSeconds: nowSeconds(), windowSeconds };
  for (const option of options) {
    if (option.kind === 'evm_processor') processorCalls(option, intentCode);
    else transferToSign(option, intentCode, nobody);
  }
  return options.map((option) => ({ option, acceptance: regularAcceptance(option, windowSeconds) }));
}

type Payer = { readonly provider: Eip1193Provider; readonly payer: string; readonly chainId: number };

/** The last call of the payment, with everything before it done: nothing is paid when this throws. */
async function callToPay({ option, acceptance }: Way, by: Payer, call: RegularCall): Promise<ContractCall> {
  const { provider, payer, chainId } = by;
  const { intentCode, windowSeconds } = call;
  if (option.kind === 'evm_processor') {
    const { approve, pay } = processorCalls(option, intentCode);
    await approveAmount({ provider, acceptance, chainId, payer, approve }, call);
    return pay;
  }
  const transfer = transferToSign(option, intentCode, { payer, nowSeconds: call.nowSeconds(), windowSeconds });
  await assertChain(provider, chainId, call);
  const signature = await askTypedData(provider, { payer, data: transfer.data }, call);
  return transfer.call(signature);
}

/** True once the transaction moved nothing; false when it went through, or nobody waits any more. */
export async function watchForRevert(
  provider: Eip1193Provider,
  hash: string | null,
  call: WalletCall,
): Promise<boolean> {
  const { ports, signal } = call;
  if (hash === null) return false;
  for (let round = 0; !signal.aborted; round += 1) {
    await ports.sleep(pauseMs(ports, round), signal);
    try {
      if (await hasReverted(provider, hash, call)) return true;
      if ((await readReceipt(provider, hash, call))?.isReverted === false) return false;
    } catch {
      return false;
    }
  }
  return false;
}
