// A merchant of the deployment, made by the operator's command as an operator types it.
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, rmSync, writeFileSync } from 'node:fs';
import type { LocalChain } from '@svc-pay/evm/testing';
import type { Address } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Shop } from '../e2e/open-shop.ts';
import { type Deployment, FOLDER } from './compose-world.ts';

type MadeAccount = {
  readonly account: { readonly id: string };
  readonly keys: readonly { readonly mode: string; readonly kind: string; readonly text: string }[];
};

const FEE_BPS = 100;
const IMAGE_USER = 65_532;
const anyAddress = (): Address => `0x${randomBytes(20).toString('hex')}`;

/** An account whose payments go through the processor. */
export async function openMerchant({ svc }: Deployment, chain: LocalChain, name: string): Promise<Shop> {
  const made = JSON.parse(await svc('accounts', 'create', '--name', name, '--json')) as MadeAccount;
  const { id } = made.account;
  const keyOf = (kind: string) => made.keys.find((key) => key.mode === 'test' && key.kind === kind)?.text ?? '';
  const [merchant, splits] = [anyAddress(), [{ to: anyAddress(), bps: 1_000 }]];
  const of = ['--account', id, '--mode', 'test'];
  await svc('tokens', 'enable', 'anvil_usdc', ...of);
  const split = splits.flatMap(({ to, bps }) => ['--split', `${to}:${bps}`]);
  const terms = ['--merchant', merchant, ...split, '--fee-bps', String(FEE_BPS), '--status', 'active'];
  await svc('payouts', 'set', ...of, '--network', chain.network, ...terms);
  const listed = await svc('payouts', 'list', '--account', id, '--json');
  const [, payoutId] = /"payoutId":\s*"?(\d+)/.exec(listed) ?? [];
  if (payoutId === undefined) throw new Error(`no payout in ${listed}`);
  const registered = await chain.registerPayout({ payoutId: BigInt(payoutId), merchant, feeBps: FEE_BPS, splits });
  if (!registered.ok) throw new Error(registered.reason);
  const keys = { publishableKey: keyOf('publishable'), secretKey: keyOf('secret') };
  return { accountId: id, ...keys, merchant, splits, feeBps: FEE_BPS };
}

/** From now on exact payments of the account go to a wallet of its own. Answers the wallet, in lower case. */
export async function activateWallet(deployment: Deployment, chain: LocalChain, { accountId }: Shop): Promise<Address> {
  const key = generatePrivateKey();
  const wallet = privateKeyToAccount(key).address;
  const names = { 'wallet.key': key, 'approver.key': chain.keys.payoutApprover.privateKey };
  for (const [name, text] of Object.entries(names)) {
    writeFileSync(deployment.file(name), `${text}\n`);
    chmodSync(deployment.file(name), 0o600);
    chownSync(deployment.file(name), IMAGE_USER, IMAGE_USER);
  }
  const of = ['--account', accountId, '--mode', 'test', '--network', chain.network, '--asset', 'anvil_usdc'];
  const keyFiles = ['--wallet-key-file', `${FOLDER}/wallet.key`, '--approver-key-file', `${FOLDER}/approver.key`];
  await deployment.svc('payouts', 'activate', ...of, '--wallet', wallet, '--use', 'exclusive', ...keyFiles);
  for (const name of Object.keys(names)) rmSync(deployment.file(name));
  return wallet.toLowerCase() as Address;
}
