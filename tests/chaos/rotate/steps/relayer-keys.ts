// Keys of settlement: relayers of both families, the recovery key, their password, and the key in the node's address.
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { newSolanaKeyFile } from '@svc-pay/cli/init/ed25519-keys';
import { execute, openChain, openKeystore, paymentProcessorAbi, propose, type TimelockOperation } from '@svc-pay/evm';
import { type Address, encodeFunctionData, keccak256, parseEther, toHex } from 'viem';
import { expect } from 'vitest';
import { waitUntil } from '../../harness/wait-until.ts';
import type { Drill, Step } from '../drill.ts';
import { lightKeystore } from '../light-keystore.ts';
import { processesOf } from '../rotate-world.ts';
import { relayOnSolana, type SignedForSolana, SOLANA, signOnSolana, solanaAddressIn } from '../solana-side.ts';

const STAGE_MS = 60_000;
/** What payers may sign for a Solana relayer is over two minutes after it drains. */
const SIGNABLE_MS = 180_000;
const DELAY_SECONDS = 8n;
const POLL_MS = 50;
const SOL = 1_000_000_000n;

export const rotateNodeKey: Step = async ({ node, nodeKey, writeNetworks, roll, stage }) => {
  const next = randomBytes(8).toString('hex');
  node.accept([nodeKey, next]);
  writeNetworks(next);
  await roll('nodes are asked with the new key', processesOf('settlement', 'api'));
  node.accept([next]);
  await stage('the provider refuses the old key');
  expect(node.refused()).toBe(0);
};

const roleOf = (name: 'OPERATOR_ROLE' | 'RECOVERY_ROLE') => keccak256(toHex(name));

/** The council proposes, waits for the delay of the timelock, and executes. */
async function throughTimelock({ chain }: Drill, operation: TimelockOperation): Promise<void> {
  const council = await openChain({
    rpcUrl: chain.rpcUrl,
    account: chain.keys.council.account,
    pollingIntervalMs: POLL_MS,
  });
  const proposed = await propose(council, chain.record, operation);
  expect(proposed).toMatchObject({ ok: true, readyInSeconds: DELAY_SECONDS });
  expect(await execute(council, chain.record, operation)).toMatchObject({ ok: false });
  const went = async () => (await execute(council, chain.record, operation)).ok;
  expect(await waitUntil(went, STAGE_MS, 500)).toBe(true);
}

/** The local chain is made without a delay. */
export async function giveTimelockADelay({ chain }: Drill): Promise<void> {
  const council = await openChain({
    rpcUrl: chain.rpcUrl,
    account: chain.keys.council.account,
    pollingIntervalMs: POLL_MS,
  });
  const abi = [
    { type: 'function', name: 'updateDelay', inputs: [{ name: 'newDelay', type: 'uint256' }], outputs: [] },
  ] as const;
  const data = encodeFunctionData({ abi, functionName: 'updateDelay', args: [DELAY_SECONDS] });
  const operation = { label: 'a delay', calls: [{ to: chain.record.timelock, data }] };
  expect(await propose(council, chain.record, operation)).toMatchObject({ ok: true });
  expect(await execute(council, chain.record, operation)).toMatchObject({ ok: true });
}

const roleCall = (drill: Drill, functionName: 'grantRole' | 'revokeRole', role: `0x${string}`, to: Address) => ({
  to: drill.chain.record.processor,
  data: encodeFunctionData({ abi: paymentProcessorAbi, functionName, args: [role, to] }),
});

async function holdsRole({ chain }: Drill, role: `0x${string}`, address: Address): Promise<boolean> {
  const reader = await openChain({ rpcUrl: chain.rpcUrl, account: chain.keys.guardian.account });
  const { processor } = chain.record;
  return reader.readContract({
    abi: paymentProcessorAbi,
    address: processor,
    functionName: 'hasRole',
    args: [role, address],
  });
}

const retires = (drill: Drill, address: string, network: string, patienceMs: number) =>
  waitUntil(
    async () => (await drill.tryCommand({}, 'relayers', 'retire', address, '--network', network)).exitCode === 0,
    patienceMs,
    2_000,
  );

async function newEvmKey(drill: Drill, file: string): Promise<Address> {
  const { privateKey, account } = await drill.chain.newKey(parseEther('10'));
  const password = readFileSync(drill.environmentOf('settlement')['SVC_RELAYER_PASSWORD_FILE'] ?? '', 'utf8').trim();
  writeFileSync(drill.inFolder('relayers', file), lightKeystore(privateKey, password), { mode: 0o600 });
  return account.address;
}

export const rotateEvmRelayer: Step = async (drill) => {
  const { chain, pool, inFolder, environmentOf, setLine, roll, stage, relayer, run } = drill;
  const files = [environmentOf('settlement')['SVC_RELAYER_KEYSTORES'] ?? '', inFolder('relayers', 'evm-2.json')];
  const next = await newEvmKey(drill, 'evm-2.json');
  await throughTimelock(drill, {
    label: 'the next relayer',
    calls: [roleCall(drill, 'grantRole', roleOf('OPERATOR_ROLE'), next)],
  });
  setLine('settlement', 'SVC_RELAYER_KEYSTORES', files.join(','));
  await roll('the new relayer joins', processesOf('settlement'));
  const old = relayer.account.address.toLowerCase();
  await run('relayers', 'drain', old, '--network', chain.network);
  await stage('the old relayer drains');
  expect(await retires(drill, old, chain.network, STAGE_MS)).toBe(true);
  setLine('settlement', 'SVC_RELAYER_KEYSTORES', files[1] ?? '');
  const batches = async () => {
    const { rows } = await pool.query('select count(*)::integer as count from svc.batches where lower(relayer) = $1', [
      old,
    ]);
    return rows[0].count as number;
  };
  const sentBefore = await batches();
  await roll('the old relayer is gone', processesOf('settlement'));
  expect(await batches()).toBe(sentBefore);
};

/** After the books were checked: these two transactions of the key are in no batch, and `ledger check` names them. */
export async function endEvmRelayer(drill: Drill): Promise<void> {
  const { chain, relayer, inFolder, tryCommand } = drill;
  const { address } = relayer.account;
  const key = [
    '--keystore',
    inFolder('relayers', 'evm-1.json'),
    '--password-file',
    inFolder('secrets', 'relayer-password'),
  ];
  const retire = () =>
    tryCommand(
      { SVC_RPC_URL: chain.rpcUrl },
      'contracts',
      'retire-relayer',
      ...key,
      '--records',
      inFolder('records'),
      '--json',
    );
  expect(await retire()).toMatchObject({ exitCode: 0 });
  const again = await retire();
  expect(again.stdout + again.stderr).toContain('relayer_has_no_role');
  expect(await holdsRole(drill, roleOf('OPERATOR_ROLE'), address)).toBe(false);
  const own = await openChain({ rpcUrl: chain.rpcUrl, account: relayer.account });
  const gasPrice = 20_000_000_000n;
  const value = (await own.getBalance({ address })) - 21_000n * gasPrice;
  const to = chain.keys.faucet.account.address;
  const hash = await own.sendTransaction({
    to,
    value,
    gas: 21_000n,
    gasPrice,
    chain: own.chain,
    account: relayer.account,
  });
  await own.waitForTransactionReceipt({ hash });
  expect(await own.getBalance({ address })).toBe(0n);
  const checked = await tryCommand({}, 'ledger', 'check');
  expect(checked.exitCode).toBe(1);
  expect((checked.stdout + checked.stderr).toLowerCase()).toContain(address.toLowerCase());
}

export const rotateRecoveryKey: Step = async (drill) => {
  const { chain, inFolder, setLine, roll } = drill;
  const [role, old] = [roleOf('RECOVERY_ROLE'), chain.keys.recovery.account.address];
  const next = await newEvmKey(drill, 'recovery-2.json');
  await throughTimelock(drill, {
    label: 'the next recovery key',
    calls: [roleCall(drill, 'grantRole', role, next), roleCall(drill, 'revokeRole', role, old)],
  });
  setLine('settlement', 'SVC_RECOVERY_KEYSTORE', inFolder('relayers', 'recovery-2.json'));
  await roll('settlement has the new recovery key', processesOf('settlement'));
  expect([await holdsRole(drill, role, old), await holdsRole(drill, role, next)]).toEqual([false, true]);
};

/** Before the other keys change: their files are sealed with the new password. */
export const rotateKeystorePassword: Step = async (drill) => {
  const { chain, inFolder, secret, writeSecret, setLine, roll, relayer } = drill;
  const [old, next] = [secret('relayer-password'), randomBytes(32).toString('base64url')];
  const again = (name: string) => inFolder('relayers', name.replace('.json', '-again.json'));
  for (const [name, { privateKey }] of [
    ['evm-1.json', relayer],
    ['recovery.json', chain.keys.recovery],
  ] as const)
    writeFileSync(again(name), lightKeystore(privateKey, next), { mode: 0o600 });
  writeSecret('relayer-password-2', next);
  setLine('settlement', 'SVC_RELAYER_KEYSTORES', again('evm-1.json'));
  setLine('settlement', 'SVC_RECOVERY_KEYSTORE', again('recovery.json'));
  setLine('settlement', 'SVC_RELAYER_PASSWORD_FILE', inFolder('secrets', 'relayer-password-2'));
  await roll('keystores have another password', processesOf('settlement'));
  const opened = await openKeystore(readFileSync(again('evm-1.json'), 'utf8'), old);
  expect(opened).toEqual({ ok: false, code: 'wrong_password' });
};

export const rotateSolanaRelayer: Step = async (drill) => {
  const { solana, pool, inFolder, setLine, roll, stage, run, tryCommand, shop, apiUrls } = drill;
  const [oldFile, nextFile] = [inFolder('relayers', 'solana-1.json'), inFolder('relayers', 'solana-2.json')];
  writeFileSync(nextFile, newSolanaKeyFile(), { mode: 0o600 });
  const [old, next] = [await solanaAddressIn(oldFile), await solanaAddressIn(nextFile)];
  await solana.faucet.fundSol(next, SOL);
  setLine('settlement', 'SVC_SOLANA_RELAYER_FILES', `${oldFile},${nextFile}`);
  await roll('the new Solana relayer joins', processesOf('settlement'));
  const payer = await solana.newPayer();
  const api = apiUrls[0] ?? '';
  const signedFor = async (relayer: string): Promise<SignedForSolana> => {
    for (;;) {
      const signed = await signOnSolana(() => api, shop, payer);
      if (signed.feePayer === relayer) return signed;
    }
  };
  const [during, after] = [await signedFor(old), await signedFor(old)];
  await run('relayers', 'drain', old, '--network', SOLANA);
  const named = await Promise.all(Array.from({ length: 8 }, () => signOnSolana(() => api, shop, payer)));
  expect(new Set(named.map(({ feePayer }) => feePayer))).toEqual(new Set([next]));
  const tooEarly = await tryCommand({}, 'relayers', 'retire', old, '--network', SOLANA, '--json');
  expect(tooEarly.exitCode).toBe(1);
  expect(tooEarly.stdout + tooEarly.stderr).toContain('relayer_has_unfinished');
  drill.countAlso(await paidInTheEnd(() => relayOnSolana(api, shop, during)));
  await stage('the old Solana relayer drains');
  expect(await retires(drill, old, SOLANA, SIGNABLE_MS)).toBe(true);
  setLine('settlement', 'SVC_SOLANA_RELAYER_FILES', nextFile);
  await roll('the old Solana relayer is gone', processesOf('settlement'));
  // What was signed for it too late is refused, and waits for nobody.
  expect(await relayOnSolana(api, shop, after)).toMatchObject({ status: 'failed', error: 'authorization_expired' });
  const { rows } = await pool.query(`select from svc.settlements where bound_relayer = $1 and status = 'queued'`, [
    old,
  ]);
  expect(rows).toEqual([]);
  await solana.moveAll(oldFile, next);
  expect(await waitUntil(async () => (await solana.lamportsOf(old)) === 0n, STAGE_MS)).toBe(true);
  rmSync(oldFile);
  const before = drill.paidOnSolana();
  expect(await waitUntil(async () => drill.paidOnSolana() > before + 2, STAGE_MS)).toBe(true);
};

async function paidInTheEnd(relay: () => Promise<{ readonly status: string }>): Promise<bigint> {
  const ended = { status: '' };
  const isPaid = async () => {
    ended.status = (await relay()).status;
    return ended.status !== 'processing';
  };
  await waitUntil(isPaid, STAGE_MS);
  expect(ended).toEqual({ status: 'succeeded' });
  return 1_500_000n;
}
